! Complex numbers and structures by value, between C and Fortran in both directions.
module values
  use iso_c_binding
  implicit none
  type, bind(c) :: point
    real(c_double) :: x
    integer(c_int) :: count
  end type
  interface
    function turned(z) bind(c)
      import
      !$omp declare target
      complex(c_double_complex), value :: z
      complex(c_double_complex) :: turned
    end function
    function moved(p, by) bind(c)
      import
      !$omp declare target
      type(point), value :: p
      real(c_double), value :: by
      type(point) :: moved
    end function
  end interface
contains
  function halved(z, k) bind(c)
    !$omp declare target
    complex(c_float_complex), value :: z
    integer(c_int), value :: k
    complex(c_float_complex) :: halved
    halved = z / 2 + k
  end function
  function total(p) bind(c)
    !$omp declare target
    type(point), value :: p
    real(c_double) :: total
    total = p%x * p%count
  end function
end module

program main
  use values
  implicit none
  integer, parameter :: n = 5
  complex(8) :: z(n)
  real(8) :: r(n)
  type(point) :: p
  integer :: i
  !$omp target teams distribute parallel do map(from: z, r) private(p)
  do i = 1, n
    z(i) = turned(cmplx(i, 1, 8))
    p = moved(point(i * 0.5d0, i), 1d0)
    r(i) = total(p) + p%count
  end do
  print '(10f9.3)', z, r
end program
