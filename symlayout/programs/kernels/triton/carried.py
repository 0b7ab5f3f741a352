"""What a loop carries from turn to turn: `recurrences`, under the name by which C's reader knows it."""

from symlayout.programs.kernels.recurrences import Carried as Carried
from symlayout.programs.kernels.recurrences import lost_value as lost_value
from symlayout.programs.kernels.recurrences import mark_of as mark_of
from symlayout.programs.kernels.recurrences import with_marks as with_marks
