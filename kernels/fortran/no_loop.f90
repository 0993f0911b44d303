! Kernels without a loop: a thread does one iteration, so that the launch has as many threads as there are iterations, whatever
! OMP_NUM_TEAMS says.
program no_loop
  implicit none
  integer, parameter :: n = 1000
  integer :: failures = 0, a(n), i
  a = 0
  !$omp target teams distribute parallel do map(tofrom: a)
  do i = 1, n
    a(i) = a(i) + i
  end do
  call check('sum', sum(int(a, 8)), n * (n + 1_8) / 2)
  call check('last', int(a(n), 8), int(n, 8))
  call finish()

contains
  include 'check.inc'
end program
