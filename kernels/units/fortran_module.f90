! A function for fortran_call.f90.
module fortran_module
  implicit none
contains
  integer function twice(x)
    !$omp declare target
    integer, intent(in) :: x
    twice = 2 * x
  end function
end module
