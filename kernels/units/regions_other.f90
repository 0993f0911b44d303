! Between serial code and a parallel region.
subroutine middle(x)
  implicit none
  !$omp declare target
  integer, intent(inout) :: x
  interface
    subroutine adds(y, n)
      !$omp declare target
      integer, intent(inout) :: y
      integer, intent(in) :: n
    end subroutine
  end interface
  integer :: y
  y = x
  call adds(y, 100)
  x = y
end subroutine
