! Arguments that may be absent, which flang maps with the size that they would have.
program optional_arguments
  use omp_lib
  implicit none
  integer :: failures = 0
  real(8) :: x(64), y(64), step
  x = 1
  y = 2
  step = 4
  call add(x)
  call check_real('absent array', sum(x), 0d0)
  call add(x, y)
  call check_real('present array', sum(x), 128d0)
  call add_scaled(x)
  call check_real('absent scalar', sum(x), 64d0)
  call add_scaled(x, step)
  call check_real('present scalar', sum(x), 320d0)
  call finish()

contains
  include 'check.inc'

  subroutine add(x, y)
    real(8), intent(inout) :: x(64)
    real(8), intent(in), optional :: y(64)
    integer :: i
    !$omp target teams distribute parallel do
    do i = 1, 64
      if (present(y)) then
        x(i) = x(i) + y(i)
      else
        x(i) = x(i) - 1
      end if
    end do
  end subroutine

  subroutine add_scaled(x, step)
    real(8), intent(inout) :: x(64)
    real(8), intent(in), optional :: step
    integer :: i
    !$omp target teams distribute parallel do map(to: step)
    do i = 1, 64
      if (present(step)) then
        x(i) = x(i) + step
      else
        x(i) = x(i) - 1
      end if
    end do
  end subroutine
end program
