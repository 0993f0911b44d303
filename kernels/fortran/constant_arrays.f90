! Constant arrays, of which LLVM loads several elements at once: they have to stand where it thinks they do.
program constant_arrays
  implicit none
  integer, parameter :: n = 20
  integer :: i, failures = 0
  integer :: table(n, n), sums(3)
  integer, pointer :: copy(:, :)
  integer, save :: odd = 1
  real(8) :: reals(n, n)
  logical(1) :: flags(3)

  table = reshape([(i, i = 1, n * n)], [n, n])
  reals = reshape([(i * 0.5d0, i = 1, n * n)], [n, n])
  sums = 0; flags = .false.
  !$omp target map(tofrom: sums, flags)
  flags(1) = any(table /= reshape([(i, i = 1, n * n)], [n, n]))
  flags(2) = any(abs(reals - reshape([(i * 0.5d0, i = 1, n * n)], [n, n])) > 0)
  sums(1) = sum(table + reshape([(3 * i, i = 1, n * n)], [n, n]))
  sums(2) = int(sum(reals * reshape([(2d0, i = 1, n * n)], [n, n])))
  sums(3) = sum(table(:, 1) * [(i, i = 1, n)])
  !$omp end target
  allocate(copy(n, n))
  !$omp target map(tofrom: odd) map(from: copy)
  copy = reshape([(i, i = 1, n * n)], [n, n])
  odd = odd + 1
  !$omp end target
  call check('a copy', merge(1_8, 0_8, all(copy == table)), 1_8)
  call check('integers', merge(1_8, 0_8, flags(1)), 0_8)
  call check('reals', merge(1_8, 0_8, flags(2)), 0_8)
  call check('a sum of integers', int(sums(1), 8), 320800_8)
  call check('a sum of reals', int(sums(2), 8), 80200_8)
  call check('a product', int(sums(3), 8), 2870_8)
  call finish()
contains
  include 'check.inc'
end program
