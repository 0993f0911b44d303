! Serial code around parallel loops: generic kernels, whose regions flang-22 does not make for them (docs/upstream.md).
program serial
  implicit none
  integer, parameter :: n = 100
  integer :: failures = 0
  call in_target()
  call in_teams()
  call in_a_loop()
  call finish()

contains
  include 'check.inc'

  subroutine in_target()
    integer :: a(n), i, s
    a = 1
    s = 0
    !$omp target map(tofrom: a, s)
    do i = 2, n
      a(i) = a(i) + a(i - 1)
    end do
    s = a(n)
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) * 2 + s
    end do
    !$omp end parallel do
    s = s + a(3)
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) + s
    end do
    !$omp end parallel do
    s = s + a(4)
    !$omp end target
    call check('serial sums before, between and behind', int(s, 8), 520_8)
    call check('two regions', sum(int(a, 8)), 40700_8)
  end subroutine

  subroutine in_teams()
    integer :: a(n), i, first
    a = 0
    !$omp target teams num_teams(1) map(tofrom: a)
    a(1) = 7
    first = a(1) + 1
    !$omp parallel do
    do i = 2, n
      a(i) = first * i
    end do
    !$omp end parallel do
    first = a(n)
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) + first
    end do
    !$omp end parallel do
    !$omp end target teams
    call check('a variable of the team', sum(int(a, 8)), 120399_8)
  end subroutine

  subroutine in_a_loop()
    integer :: a(n), i, k
    a = 1
    !$omp target map(tofrom: a)
    do k = 1, 5
      a(1) = a(1) + k
      !$omp parallel do
      do i = 2, n
        a(i) = a(i) + a(1)
      end do
      !$omp end parallel do
      if (a(2) > 20) then
        !$omp parallel do
        do i = 2, n
          a(i) = a(i) - 10
        end do
        !$omp end parallel do
      end if
    end do
    !$omp end target
    call check('a region in a loop, one under a condition', sum(int(a, 8)), 2095_8)
  end subroutine
end program
