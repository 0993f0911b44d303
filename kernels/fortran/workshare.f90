! `workshare` in a target region: one thread does each assignment, and what it has in variables of its own the others get.
program workshare
  implicit none
  integer, parameter :: n = 100
  integer :: failures = 0
  integer :: i, part(40), sizes(3)
  real(8) :: a(n), b(n), c(n, 2), s
  part = [(i, i = 1, 40)]
  !$omp target map(tofrom: part)
  !$omp parallel num_threads(8)
    !$omp workshare
    part(20:30) = 5
    !$omp end workshare
  !$omp end parallel
  !$omp end target
  call check('a part of an array', int(sum(part), 8), int(sum([(i, i = 1, 40)]) - sum([(i, i = 20, 30)]) + 55, 8))

  a = [(i * 1d0, i = 1, n)]
  b = 0
  c = 0
  s = 0
  !$omp target map(tofrom: a, b, c, s)
  !$omp parallel num_threads(32)
    !$omp workshare
    b = a * 2 + 1
    c(:, 1) = b - a
    where (a > 50) b = 0
    s = sum(b)
    forall (i = 1:n) c(i, 2) = a(n - i + 1)
    !$omp end workshare
  !$omp end parallel
  !$omp end target
  call check_real('where', s, sum([(i * 2d0 + 1, i = 1, 50)]))
  call check_real('an expression', sum(c(:, 1)), sum(a + 1))
  call check_real('forall', sum(c(:, 2) * a), sum([(i * 1d0 * (n - i + 1), i = 1, n)]))

  sizes = [3, 0, 40]
  part = 0
  do i = 1, 3
    !$omp target map(tofrom: part) map(to: sizes)
    !$omp parallel num_threads(5)
      !$omp workshare
      part(1:sizes(i)) = part(1:sizes(i)) + sizes(i)
      !$omp end workshare
    !$omp end parallel
    !$omp end target
  end do
  call check('bounds of the thread', int(sum(part), 8), 3 * 43_8 + 37 * 40)
  call finish()

contains
  include 'check.inc'
end program
