! Regions in procedures that other files may call, on variables that these procedures, or those that call them, have for themselves. What the
! variables hold comes from elsewhere: numbers, and no addresses of more such variables, so all threads may have them.
module procedures
  use omp_lib
  implicit none
contains
  integer function counted() result(count)
    !$omp declare target
    count = 0
    !$omp parallel num_threads(64)
    !$omp atomic
    count = count + 1
    !$omp end parallel
  end function

  subroutine add(number, sum, least, count)
    !$omp declare target
    integer(8), target :: number, sum
    real(8), target :: least
    integer, target :: count
    !$omp parallel num_threads(64)
    !$omp critical
    least = min(least, real(omp_get_thread_num(), 8) - 3)
    !$omp end critical
    !$omp atomic
    count = count + 1
    !$omp atomic
    sum = sum + number
    !$omp end parallel
  end subroutine

  subroutine add_to_own(number, count)
    !$omp declare target
    integer(8), target :: number
    integer, target :: count
    integer(8) :: sum
    real(8) :: least
    sum = number * 3
    least = real(number, 8) * 2
    call add(number, sum, least, count)
    number = sum + int(least)
  end subroutine
end module

program own_variables
  use procedures
  implicit none
  integer :: failures = 0
  integer :: count, counts(2), i
  integer(8) :: number
  count = 0
  !$omp target map(from: count)
  count = counted()
  !$omp end target
  call check('a region counts its threads', int(count, 8), 64_8)
  counts = 0
  !$omp target teams distribute num_teams(2) map(from: counts)
  do i = 1, 2
    counts(i) = counted()
  end do
  !$omp end target teams distribute
  call check('in a loop of teams', sum(int(counts, 8)), 128_8)
  count = 0
  number = 5
  !$omp target map(tofrom: count, number)
  call add_to_own(number, count)
  !$omp end target
  call check('threads that add', int(count, 8), 64_8)
  call check('what they add to', number, 15 + 64 * 5 - 3_8)
  call finish()
contains
  include 'check.inc'
end program
