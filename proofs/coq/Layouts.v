(* Layouts, and what claims say of them.

   A layout takes a place, a list of coordinates, to an offset.  Its places are those in the box of its
   shape, its offsets lie in `size` elements.  `defined` is what sizes satisfy where it has a meaning. *)

Require Export Symlayout.Integers.

(* Each coordinate is at least 0 and less than its size. *)
Fixpoint inside (place sizes : list Z) : Prop :=
  match place, sizes with
  | [], [] => True
  | x :: place, n :: sizes => (0 <= x < n) /\ inside place sizes
  | _, _ => False
  end.

(* All of the numbers are at least that. *)
Fixpoint at_least (least : Z) (numbers : list Z) : Prop :=
  match numbers with
  | [] => True
  | n :: numbers => least <= n /\ at_least least numbers
  end.

(* Each of the one list is at most that of the other. *)
Fixpoint none_larger (a b : list Z) : Prop :=
  match a, b with
  | [], [] => True
  | x :: a, y :: b => x <= y /\ none_larger a b
  | _, _ => False
  end.

Record Layout := {
  shape : list Z;
  offset : list Z -> Z;
  size : Z;
  defined : Prop
}.

(* -- what claims say -------------------------------------------------------------------------- *)

(* No two places have one offset. *)
Definition separates (m : Layout) : Prop :=
  forall p q, inside p (shape m) -> inside q (shape m) -> offset m p = offset m q -> p = q.

(* Each offset lies in so many elements. *)
Definition stays (m : Layout) (size : Z) : Prop :=
  forall p, inside p (shape m) -> 0 <= offset m p < size.

(* Each offset is that of a place. *)
Definition covers (m : Layout) : Prop :=
  forall n, 0 <= n < size m -> exists p, inside p (shape m) /\ offset m p = n.

Definition injective (m : Layout) : Prop := defined m /\ separates m.
Definition bounded (m : Layout) : Prop := defined m /\ stays m (size m).
Definition bounded_by (m : Layout) (size : Z) : Prop := defined m /\ stays m size.
Definition onto (m : Layout) : Prop := defined m /\ covers m.
Definition valid (m : Layout) : Prop := defined m /\ stays m (size m) /\ separates m.
Definition bijective (m : Layout) : Prop :=
  defined m /\ stays m (size m) /\ separates m /\ covers m.

(* Both have one shape, and at each place one offset. *)
Definition equal (a b : Layout) : Prop :=
  defined a /\ defined b /\ shape a = shape b /\
  forall p, inside p (shape a) -> offset a p = offset b p.

(* The offset is what a formula of the coordinates says, which has a value. *)
Definition formula (m : Layout) (says : list Z -> Z) (has_value : list Z -> Prop) : Prop :=
  defined m /\ forall p, inside p (shape m) -> has_value p /\ offset m p = says p.

(* The elements with one row-major number have one offset, in buffers of one size. *)
Definition bitcast (a b : Layout) : Prop :=
  defined a /\ defined b /\
  product (shape a) = product (shape b) /\ size a = size b /\
  forall p q, inside p (shape a) -> inside q (shape b) ->
    number p (shape a) = number q (shape b) -> offset a p = offset b q.

(* The buffer takes so many bytes, elements being of so many bits. *)
Definition takes_bytes (m : Layout) (bits bytes : Z) : Prop :=
  defined m /\ ceildiv (size m * bits) 8 = bytes.

(* The buffer is at most `most / of` times as large as its elements. *)
Definition padding (m : Layout) (most of : Z) : Prop :=
  defined m /\ size m * of <= product (shape m) * most.

(* Rows begin at a multiple of so many bytes, elements being of so many bits; a row goes along one
   dimension, and without one each element begins there. *)
Definition aligned (m : Layout) (along : option nat) (bits bytes : Z) : Prop :=
  defined m /\ 0 <= bytes /\
  forall p, inside p (shape m) ->
    match along with Some k => nth k p 0 = 0 | None => True end ->
    1 <= bytes /\ (offset m p * bits) mod (bytes * 8) = 0.

(* The same bytes, read as other elements: an element has so many units, and a unit of the one is one
   of the other. *)
Definition units_in (a : Layout) (u : Z) (b : Layout) (v : Z) : Prop :=
  forall p k, inside p (shape a) -> 0 <= k < u ->
    exists q j, inside q (shape b) /\ 0 <= j < v /\ offset a p * u + k = offset b q * v + j.

Definition reinterpret (a : Layout) (u : Z) (b : Layout) (v : Z) : Prop :=
  defined a /\ defined b /\ size a * u = size b * v /\ units_in a u b v /\ units_in b v a u.

(* Each number on the way to the offset fits a signed integer of so many bits, and so does the offset. *)
Fixpoint signed (bits : Z) (values : list Z) : Prop :=
  match values with
  | [] => True
  | v :: values => (- 2 ^ (bits - 1) <= v < 2 ^ (bits - 1)) /\ signed bits values
  end.

(* A tile begins at an element; its layout takes a place in it to how much further the offset is there
   than at its first place.  First offset + tile layout is what the whole addresses, where the tile lies
   in it.  That tiles of a grid cover all places once is Euclid's division: no claim has to say it. *)
Fixpoint each2 (f : Z -> Z -> Z) (a b : list Z) : list Z :=
  match a, b with
  | x :: a, y :: b => f x y :: each2 f a b
  | _, _ => []
  end.

Definition addresses (m : Layout) (tile first : list Z) : Prop :=
  forall p, inside p tile -> inside (each2 Z.add first p) (shape m) ->
    offset m (each2 Z.add first p) =
    offset m first + (offset m p - offset m (map (fun _ => 0) tile)).

(* A tile is no larger than the room that there is for elements, which may be more than their sizes. *)
Definition part_of (m : Layout) (room tile : list Z) : Prop :=
  defined m /\ at_least 1 tile /\ (none_larger tile room \/ In 0 (shape m)).

Definition tiles (m : Layout) (room tile : list Z) : Prop :=
  part_of m room tile /\
  forall g, inside g (each2 ceildiv (shape m) tile) -> addresses m tile (each2 Z.mul g tile).

Definition tile_at (m : Layout) (room tile first : list Z) : Prop :=
  part_of m room tile /\ inside first (shape m) /\ addresses m tile first.

(* The layout with its dimensions in another order: dimension k is dimension `order[k]` before. *)
Fixpoint place_of (k : nat) (order : list nat) (p : list Z) : Z :=
  match order, p with
  | j :: order, x :: p => if Nat.eqb j k then x else place_of k order p
  | _, _ => 0
  end.

Definition permuted (order : list nat) (m : Layout) : Layout := {|
  shape := map (fun k => nth k (shape m) 1) order;
  offset p := offset m (map (fun k => place_of k order p) (seq 0 (length order)));
  size := size m;
  defined := defined m
|}.

(* -- buffers of XLA --------------------------------------------------------------------------- *)

(* A coordinate with its size; their row-major number, and how many there are. *)
Definition digit : Type := Z * Z.
Definition numbered (digits : list digit) : Z := fold_left (fun n x => n * snd x + fst x) digits 0.
Definition counted (digits : list digit) : Z := fold_left (fun n x => n * snd x) digits 1.

(* `*` (None) joins a dimension with the next one. *)
Fixpoint joined (tile : list (option Z)) (digits : list digit) : list digit :=
  match tile, digits with
  | None :: tile, (x, n) :: (y, k) :: rest => joined tile ((x * k + y, n * k) :: rest)
  | Some _ :: tile, x :: rest => x :: joined tile rest
  | _, _ => digits
  end.

Definition sizes_of (tile : list (option Z)) : list Z :=
  flat_map (fun t => match t with Some t => [t] | None => [] end) tile.

(* Which block a coordinate lies in, of how many; and where in the block. *)
Definition block (t : Z) (x : digit) : digit := (fst x / t, ceildiv (snd x) t).
Definition within (t : Z) (x : digit) : digit := (fst x mod t, t).

Fixpoint each (f : Z -> digit -> digit) (tile : list Z) (digits : list digit) : list digit :=
  match tile, digits with
  | t :: tile, x :: digits => f t x :: each f tile digits
  | _, _ => []
  end.

(* A tile cuts the last dimensions: the blocks in order, then the places in a block.  A tile with more
   dimensions than there are finds dimensions of size 1 in front. *)
Definition cut (digits : list digit) (tile : list (option Z)) : list digit :=
  let whole := repeat (0, 1) (length tile - length digits) ++ digits in
  let front := firstn (length whole - length tile) whole in
  let last := joined tile (skipn (length whole - length tile) whole) in
  front ++ each block (sizes_of tile) last ++ each within (sizes_of tile) last.

Definition physical (minor_to_major : list nat) (sizes place : list Z) : list digit :=
  map (fun k => (nth k place 0, nth k sizes 1)) (rev minor_to_major).

(* `type[sizes]{minor_to_major:T(tile)(tile)...L(tail)}`: the sizes in physical order, the most major
   one first, cut by one tile after the other; a place's offset is its row-major number.  The number
   of elements is rounded up to a multiple of the tail's. *)
Definition xla (sizes : list Z) (minor_to_major : list nat) (tiles : list (list (option Z)))
    (tail : Z) : Layout := {|
  shape := sizes;
  offset place := numbered (fold_left cut tiles (physical minor_to_major sizes place));
  size :=
    let whole := counted (fold_left cut tiles (physical minor_to_major sizes [])) in
    if tail =? 1 then whole else ceildiv whole tail * tail;
  defined := at_least 0 sizes /\ at_least 1 (flat_map sizes_of tiles) /\ 1 <= tail
|}.

(* -- strides ---------------------------------------------------------------------------------- *)

Fixpoint dot (place strides : list Z) : Z :=
  match place, strides with
  | x :: place, s :: strides => x * s + dot place strides
  | _, _ => 0
  end.

(* 1 where there is an element, 0 where a size is 0. *)
Definition some (sizes : list Z) : Z := fold_right (fun n rest => Z.min n 1 * rest) 1 sizes.

(* With room for more elements along some dimensions: `widths` are the sizes that the buffer has. *)
Definition xla_padded (sizes widths : list Z) (minor_to_major : list nat)
    (tiles : list (list (option Z))) (tail : Z) : Layout :=
  let whole := xla widths minor_to_major tiles tail in {|
  shape := sizes;
  offset := offset whole;
  size := size whole * some sizes;
  defined := defined whole /\ at_least 0 sizes /\ none_larger sizes widths
|}.

(* 1 + the greatest offset - the least one where it is below 0; 0 without an element. *)
Definition greatest (start : Z) (sizes strides : list Z) : Z :=
  start + dot (map (fun n => n - 1) sizes) (map (fun s => Z.max s 0) strides).
Definition least (start : Z) (sizes strides : list Z) : Z :=
  start + dot (map (fun n => n - 1) sizes) (map (fun s => Z.min s 0) strides).
Definition buffer (start : Z) (sizes strides : list Z) : Z :=
  (1 + greatest start sizes strides - Z.min (least start sizes strides) 0) * some sizes.

Definition strided (sizes strides : list Z) (start : Z) : Layout := {|
  shape := sizes;
  offset place := start + dot place strides;
  size := buffer start sizes strides;
  defined := at_least 0 sizes
|}.

(* -- shape:stride ----------------------------------------------------------------------------- *)

(* The modes of one coordinate, each a size and a stride.  A coordinate is split among them, the first
   one fastest: `below` is the product of the sizes before.  The last one takes what is left. *)
Fixpoint crd2offset (c below : Z) (modes : list (Z * Z)) : Z :=
  match modes with
  | [] => 0
  | [(_, s)] => c / below * s
  | (n, s) :: rest => c / below mod n * s + crd2offset c (below * n) rest
  end.

Fixpoint offsets (place : list Z) (groups : list (list (Z * Z))) : Z :=
  match place, groups with
  | c :: place, modes :: groups => crd2offset c 1 modes + offsets place groups
  | _, _ => 0
  end.

(* A layout of modes; `sizes` are the true sizes, where not all of the modes' places are elements. *)
Definition modes_of_sizes (sizes : list Z) (groups : list (list (Z * Z))) : Layout :=
  let every := concat groups in
  let whole := map (fun modes => product (map fst modes)) groups in {|
  shape := sizes;
  offset place := offsets place groups;
  size := buffer 0 (map fst every) (map snd every) * some sizes;
  defined := at_least 0 (map fst every) /\ at_least 0 sizes /\ none_larger sizes whole
|}.

Definition modes (groups : list (list (Z * Z))) : Layout :=
  let every := concat groups in {|
  shape := map (fun modes => product (map fst modes)) groups;
  offset place := offsets place groups;
  size := buffer 0 (map fst every) (map snd every);
  defined := at_least 0 (map fst every)
|}.

(* -- named formats ---------------------------------------------------------------------------- *)

(* Element (r, c) of a matrix in fractals of h by w: the fractals' order, and the order within one,
   by rows or by columns. *)
Definition fractal (fractals_by_rows by_rows : bool) (h w rows cols : Z) : Layout := {|
  shape := [rows; cols];
  offset place :=
    let r := nth 0 place 0 in let c := nth 1 place 0 in
    let which := if fractals_by_rows then r / h * ceildiv cols w + c / w
                 else c / w * ceildiv rows h + r / h in
    which * (h * w) + if by_rows then r mod h * w + c mod w else c mod w * h + r mod h;
  size := ceildiv rows h * ceildiv cols w * (h * w);
  defined := at_least 0 [rows; cols] /\ at_least 1 [h; w]
|}.

(* -- index functions -------------------------------------------------------------------------- *)

(* A function of coordinates that count from 0, and the size of the box that it leads to. *)
Definition index_function (sizes : list Z) (says : list Z -> Z) (size : Z) : Layout := {|
  shape := sizes;
  offset := says;
  size := size;
  defined := at_least 0 sizes /\ 0 <= size
|}.

(* An index function of several results.  Each coordinate counts from 0 to its extent, which may speak
   of the coordinates before; there are results where the guard holds. *)
Inductive Index :=
  | Range (extent : Z) (rest : Z -> Index)
  | Result (guard : Prop) (results : list Z).

(* Its results lie in a box. *)
Fixpoint lands (f : Index) (box : list Z) : Prop :=
  match f with
  | Range extent rest => forall x, 0 <= x < extent -> lands (rest x) box
  | Result guard results => guard -> inside results box
  end.

(* A place is one of its points, and these are the results there. *)
Fixpoint takes (f : Index) (place results : list Z) : Prop :=
  match f, place with
  | Range extent rest, x :: place => 0 <= x < extent /\ takes (rest x) place results
  | Result guard own, [] => guard /\ results = own
  | _, _ => False
  end.

(* No two points have the same results; and each place of a box is the results of a point. *)
Definition one_to_one (f : Index) : Prop :=
  forall p q results, takes f p results -> takes f q results -> p = q.

Definition reaches (f : Index) (box : list Z) : Prop :=
  forall results, inside results box -> exists p, takes f p results.

(* The places of a box, each with what a function says of it. *)
Fixpoint ranges (sizes : list Z) (says : list Z -> list Z) : Index :=
  match sizes with
  | [] => Result True (says [])
  | n :: sizes => Range n (fun x => ranges sizes (fun place => says (x :: place)))
  end.

(* Two have the same points, with the same results at each. *)
Definition same_function (f g : Index) : Prop := forall p r, takes f p r <-> takes g p r.

(* What the one comes to, the other takes back to where it began. *)
Definition undone_by (f g : Index) : Prop := forall p r, takes f p r -> takes g r p.

(* They have no result in common. *)
Definition never_meet (f g : Index) : Prop := forall p q r, takes f p r -> takes g q r -> False.

(* A layout as an index function of one result; and layouts of one shape, each of which says one. *)
Definition of_layout (m : Layout) : Index := ranges (shape m) (fun place => [offset m place]).
Definition of_layouts (sizes : list Z) (every : list Layout) : Index :=
  ranges sizes (fun place => map (fun m => offset m place) every).

(* The place in a box that a number counts, the first coordinate fastest; the last takes what is left. *)
Fixpoint counted_to (n below : Z) (sizes : list Z) : list Z :=
  match sizes with
  | [] => []
  | [_] => [n / below]
  | d :: rest => n / below mod d :: counted_to n (below * d) rest
  end.

(* Threads and values: a layout of both says which element of a tile they hold. *)
Definition thread_value (m : Layout) (tile : list Z) : Index :=
  ranges (shape m) (fun place => counted_to (offset m place) 1 tile).

(* -- linear layouts over F2 -------------------------------------------------------------------- *)

(* The sum without carries of the vectors whose bits are set in x, the lowest bit first. *)
Fixpoint summed (x : Z) (vectors : list (list Z)) (sum : list Z) : list Z :=
  match vectors with
  | [] => sum
  | v :: rest => summed (x / 2) rest (if Z.odd x then each2 Z.lxor sum v else sum)
  end.

Fixpoint added (inputs : list (list (list Z))) (place sum : list Z) : list Z :=
  match inputs, place with
  | vectors :: inputs, x :: place => added inputs place (summed x vectors sum)
  | _, _ => sum
  end.

(* Each input has the vectors of its bits; results lie in a box of so many coordinates. *)
Definition linear (inputs : list (list (list Z))) (sizes : list Z) : Index :=
  ranges (map (fun vectors => 2 ^ Z.of_nat (length vectors)) inputs)
    (fun place => added inputs place (map (fun _ => 0) sizes)).

(* -- layouts made of layouts ------------------------------------------------------------------- *)

(* CuTe's swizzle: so many bits from base + shift on (or base, where shift is below 0) are added without
   carries to those that are `shift` places below (or above). *)
Definition swizzle (bits base shift x : Z) : Z :=
  Z.lxor x (Z.shiftr (Z.land x (Z.shiftl (Z.ones bits) (base + Z.max shift 0))) shift).

(* `Swizzle(bits, base, shift) o start o shape:stride`; it fills whole blocks of the bits that change. *)
Definition swizzled (bits base shift start : Z) (groups : list (list (Z * Z))) : Layout :=
  let every := concat groups in
  let reach := 1 + start + dot (map (fun n => n - 1) (map fst every)) (map snd every) in
  let block := if bits =? 0 then 1 else 2 ^ (base - Z.min shift 0 + bits) in {|
  shape := map (fun modes => product (map fst modes)) groups;
  offset place := swizzle bits base shift (start + offsets place groups);
  size := ceildiv reach block * block * some (map fst every);
  defined := at_least 0 (map fst every) /\ at_least 0 (map snd every) /\ 0 <= start
|}.

(* XLA's broadcast: dimension k of the operand is dimension `dims[k]` of the result, or has size 1. *)
Fixpoint fits_in (inner : list Z) (dims : list nat) (sizes : list Z) : Prop :=
  match inner, dims with
  | [], [] => True
  | n :: inner, d :: dims => (n = 1 \/ n = nth d sizes 0) /\ fits_in inner dims sizes
  | _, _ => False
  end.

Definition broadcast_in_dim (m : Layout) (dims : list nat) (sizes : list Z) : Layout := {|
  shape := sizes;
  offset place :=
    offset m (each2 (fun n d => if n =? 1 then 0 else d) (shape m) (map (fun d => nth d place 0) dims));
  size := size m;
  defined := defined m /\ at_least 0 sizes /\ fits_in (shape m) dims sizes
|}.

(* The place whose row-major number it is. *)
Fixpoint places_below (n : Z) (sizes : list Z) : list Z :=
  match sizes with
  | [] => []
  | d :: rest => (n / product rest) mod d :: places_below n rest
  end.
Definition place_of_number (n : Z) (sizes : list Z) : list Z :=
  match sizes with
  | [] => []
  | _ :: rest => n / product rest :: places_below n rest
  end.

(* XLA's tiles by pad, reshape and transpose.  A tile pads the last dimensions to multiples of its own
   sizes, splits each in two, and moves the inner halves behind all others; each step numbers anew. *)
Fixpoint every_other {A : Type} (odd : bool) (l : list A) : list A :=
  match l with
  | a :: b :: l => (if odd then b else a) :: every_other odd l
  | _ => []
  end.

Definition pad_reshape_transpose (digits : list digit) (tile : list (option Z)) : list digit :=
  let whole := repeat (0, 1) (length tile - length digits) ++ digits in
  let many := (length whole - length tile)%nat in
  let sizes := map snd (firstn many whole) ++ map snd (joined tile (skipn many whole)) in
  let place := place_of_number (number (map fst whole) (map snd whole)) sizes in
  let halves := flat_map (fun x => [ceildiv (fst x) (snd x); snd x])
    (combine (skipn many sizes) (sizes_of tile)) in
  let padded := firstn many sizes ++ each2 (fun n t => ceildiv n t * t) (skipn many sizes) (sizes_of tile) in
  let cut := place_of_number (number place padded) (firstn many sizes ++ halves) in
  let front := combine (firstn many cut) (firstn many sizes) in
  let rest := combine (skipn many cut) halves in
  front ++ every_other false rest ++ every_other true rest.

Definition xla_by_steps (sizes : list Z) (minor_to_major : list nat)
    (tiles : list (list (option Z))) (tail : Z) : Layout :=
  let whole := xla sizes minor_to_major tiles tail in {|
  shape := sizes;
  offset place :=
    numbered (fold_left pad_reshape_transpose tiles (physical minor_to_major sizes place));
  size := size whole;
  defined := defined whole
|}.
