! `declare target` of variables that only their scope can name: of the program, and `save`d ones of procedures, which have the same names.
! flang 22 registers none of them, so that a device has others than the host copies to (docs/upstream.md).
program saved_variables
  implicit none
  integer, parameter :: n = 100
  integer :: failures = 0
  integer, save :: table(n), factor = 3
  real(8), allocatable :: values(:)
  !$omp declare target(table, factor, values)
  integer :: i, total
  interface
    integer function outside(given)
      integer, intent(in) :: given
    end function
  end interface

  table = 7
  !$omp target update to(table)
  total = 0
  !$omp target teams distribute parallel do reduction(+: total) map(tofrom: total)
  do i = 1, n
    total = total + table(i) * factor
  end do
  call check('a table and a factor', int(total, 8), 7_8 * 3 * n)

  factor = 5
  !$omp target update to(factor)
  !$omp target teams distribute parallel do
  do i = 1, n
    table(i) = i * factor
  end do
  !$omp target update from(table)
  call check('copied back', int(sum(table), 8), 5_8 * n * (n + 1) / 2)

  allocate(values(n))
  values = 0.5d0
  !$omp target enter data map(to: values)
  !$omp target teams distribute parallel do
  do i = 1, n
    values(i) = values(i) + i
  end do
  !$omp target exit data map(from: values)
  call check_real('an allocatable', sum(values), 0.5d0 * n + n * (n + 1) / 2)

  call check('of an internal procedure', int(inside(2), 8), 22_8)
  call check('of another procedure', int(outside(4), 8), 48_8)
  call finish()

contains
  include 'check.inc'

  integer function inside(given)
    integer, intent(in) :: given
    integer, save :: factor = 10
    !$omp declare target(factor)
    integer :: result
    !$omp target map(from: result)
    factor = factor + 1
    result = factor * given
    !$omp end target
    inside = result
  end function
end program

integer function outside(given)
  implicit none
  integer, intent(in) :: given
  integer, save :: factor = 11
  !$omp declare target(factor)
  integer :: result
  !$omp target map(from: result)
  factor = factor + 1
  result = factor * given
  !$omp end target
  outside = result
end function
