"""Claims spread over a cluster, through joblib's backends for Dask and Ray (both are extras)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir
from tempfile import TemporaryDirectory
from typing import Any

from symlayout.checks.jobs import LARGEST_CHUNK, Outcomes, Workers, judge_all
from symlayout.checks.processes import safe_path
from symlayout.checks.result import Outcome, Task
from symlayout.errors import LayoutError


def spread_over(
    tasks: Sequence[Task], backend: str, jobs: int, scheduler: str | None = None
) -> Iterator[tuple[int, Outcome]]:
    """The numbered outcomes; `scheduler` is the cluster's address, without one it is a local one.

    The cluster runs the claims of a lost worker again; when it gives up, this machine judges them
    in processes of its own.  Raises `LayoutError` (SL600) when the backend is not installed.
    """
    try:
        from joblib import Parallel, delayed, parallel_config
    except ImportError:
        raise _missing(backend) from None
    size = max(1, min(LARGEST_CHUNK, len(tasks) // (4 * jobs)))
    pairs = list(enumerate(tasks))
    chunks = [pairs[k : k + size] for k in range(0, len(pairs), size)]
    with ExitStack() as stack, safe_path():
        _connect(stack, backend, jobs, scheduler)
        try:
            with parallel_config(backend=backend, n_jobs=-1):  # Ray's own default is this process
                hits: list[Outcomes] = Parallel()(delayed(judge_all)(c) for c in chunks)
        except Exception:  # the cluster lost its workers too often: whatever it raises then
            with Workers(jobs) as workers:
                hits = [list(workers.outcomes(tasks))]
    for outcomes in hits:
        yield from outcomes


def _connect(stack: ExitStack, backend: str, jobs: int, scheduler: str | None) -> None:
    """Joins the cluster, or starts one of `jobs` processes here, until the stack is left."""
    try:
        if backend == "dask":
            from dask.distributed import Client, LocalCluster

            target: Any = scheduler
            if target is None:
                folder = stack.enter_context(TemporaryDirectory())
                local = LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    dashboard_address=":0",
                    local_directory=folder,
                )
                target = stack.enter_context(local)
            stack.enter_context(Client(target, timeout=20))
        else:
            import ray
            from ray.util.joblib import register_ray

            # Ray's workers import from the folder that it is started in
            with chdir(stack.enter_context(TemporaryDirectory())):
                ray.init(address=scheduler, num_cpus=None if scheduler else jobs)
            stack.callback(ray.shutdown)
            register_ray()
    except ImportError:
        raise _missing(backend) from None
    except (OSError, ValueError) as error:
        message = f"the cluster at {scheduler} cannot be reached: {error}"
        raise LayoutError("SL600", message) from None


def _missing(backend: str) -> LayoutError:
    help = f"pip install 'symlayout[{backend}]'"
    return LayoutError("SL600", f"the backend {backend!r} is not installed", help=help)
