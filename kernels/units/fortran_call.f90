! Serial code calls a function of another file, which might start a parallel region for all that this file says.
program fortran_call
  use fortran_module
  implicit none
  integer, parameter :: n = 100
  integer :: a(n), i, s
  a = 1
  s = 0
  !$omp target map(tofrom: a, s)
  s = twice(a(3)) + 1
  !$omp parallel do
  do i = 1, n
    a(i) = a(i) + s * i
  end do
  !$omp end parallel do
  s = s + a(2)
  !$omp parallel do
  do i = 1, n
    a(i) = a(i) + s
  end do
  !$omp end parallel do
  !$omp end target
  print *, s, sum(a)
end program
