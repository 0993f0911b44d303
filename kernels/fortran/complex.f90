! Complex numbers: operations, mathematical functions, functions of the program with complex arguments and results, and arrays.
module complex_functions
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  pure function squared(z) result(w)
    !$omp declare target
    complex(dp), intent(in) :: z
    complex(dp) :: w
    w = z * z + cmplx(1, -1, dp)
  end function
  pure complex function by_value(z, factor)
    !$omp declare target
    complex, value :: z
    integer, value :: factor
    by_value = factor * conjg(z)
  end function
  elemental complex(dp) function half(z)
    !$omp declare target
    complex(dp), intent(in) :: z
    half = z / 2
  end function
end module

program complex_numbers
  use complex_functions
  implicit none
  integer, parameter :: n = 48
  integer :: failures = 0
  call operations()
  call functions()
  call arrays()
  call finish()

contains
  include 'check.inc'

  ! Both parts are as near to what the host has as 1e-12 of the number.
  subroutine check_complex(what, got, want)
    character(*), intent(in) :: what
    complex(dp), intent(in) :: got(:), want(:)
    call check_that(what, all(abs(got - want) <= 1d-12 * abs(want)))
  end subroutine

  subroutine operations()
    complex(dp) :: z(n), w(n, 5), host(n, 5)
    complex :: c(n)
    real(dp) :: r(n)
    integer :: i
    do i = 1, n
      z(i) = cmplx(i - 20.5_dp, 3 - i * 0.25_dp, dp)
      c(i) = cmplx(i * 0.5, 1)
    end do
    host(:, 1) = z / (1d0, 2d0)
    host(:, 2) = squared(z(1)) / z
    host(:, 3) = z**3 - z**(-2)
    host(:, 4) = half(z)
    host(:, 5) = 3 * conjg(c)
    !$omp target teams distribute parallel do map(to: z, c) map(from: w, r)
    do i = 1, n
      w(i, 1) = z(i) / (1d0, 2d0)
      w(i, 2) = squared(z(1)) / z(i)
      w(i, 3) = z(i)**3 - z(i)**(-2)
      w(i, 4) = half(z(i))
      w(i, 5) = by_value(c(i), 3)
      r(i) = abs(z(i)) + aimag(z(i)) + real(z(i), dp)
    end do
    call check_complex('division', w(:, 1), host(:, 1))
    call check_complex('a function', w(:, 2), host(:, 2))
    call check_complex('whole powers', w(:, 3), host(:, 3))
    call check_complex('an elemental function', w(:, 4), host(:, 4))
    call check_complex('a value', w(:, 5), host(:, 5))
    call check_that('parts', all(abs(r - (abs(z) + aimag(z) + real(z, dp))) <= 1d-12))
  end subroutine

  subroutine functions()
    integer, parameter :: functions_of_one = 16
    complex(dp) :: z(n), w(functions_of_one, n), host(functions_of_one, n)
    complex :: c(functions_of_one, n)
    integer :: i
    character(9), parameter :: names(functions_of_one) = [character(9) :: 'sqrt', 'exp', 'log', 'sin', 'cos', 'tan', 'sinh', &
      'cosh', 'tanh', 'asin', 'acos', 'atan', 'asinh', 'acosh', 'atanh', 'power']
    do i = 1, n
      z(i) = cmplx(0.3_dp * mod(i, 7) - 0.85_dp, 0.4_dp * mod(i, 11) - 1.9_dp, dp)
      host(:, i) = all_functions(z(i))
    end do
    !$omp target teams distribute parallel do map(to: z) map(from: w, c)
    do i = 1, n
      w(:, i) = all_functions(z(i))
      c(:, i) = all_single_functions(cmplx(z(i)))
    end do
    do i = 1, functions_of_one
      call check_complex(names(i), w(i, :), host(i, :))
      call check_that(names(i), all(abs(c(i, :) - host(i, :)) <= 1e-5 * abs(host(i, :))))
    end do
  end subroutine

  pure function all_functions(z) result(w)
    !$omp declare target
    complex(dp), intent(in) :: z
    complex(dp) :: w(16)
    w = [sqrt(z), exp(z), log(z), sin(z), cos(z), tan(z), sinh(z), cosh(z), tanh(z), asin(z), acos(z), atan(z), asinh(z), acosh(z), &
      atanh(z), z**(0.5_dp, 1.5_dp)]
  end function

  pure function all_single_functions(z) result(w)
    !$omp declare target
    complex, intent(in) :: z
    complex :: w(16)
    w = [sqrt(z), exp(z), log(z), sin(z), cos(z), tan(z), sinh(z), cosh(z), tanh(z), asin(z), acos(z), atan(z), asinh(z), acosh(z), &
      atanh(z), z**(0.5, 1.5)]
  end function

  subroutine arrays()
    complex(dp) :: a(3, 4), b(4, 2), p(3, 2), q(4), s(4), along(3)
    complex :: c(4), d(2)
    real :: m(4, 2)
    integer :: i, j
    do j = 1, 4
      a(:, j) = [(cmplx(i - j, i * j, dp), i = 1, 3)]
      b(j, :) = [cmplx(j, -1, dp), cmplx(0, j, dp)]
      c(j) = cmplx(j, 2)
      m(j, :) = [1, j]
    end do
    !$omp target map(to: a, b, c, m) map(from: p, q, s, d, along)
    p = matmul(a, b)
    q = sum(a)
    d = matmul(c, m)
    s = [sum(a, mask=real(a) > 0), product(a(:, 2)), dot_product(a(1, :), b(:, 2)), cmplx(sum(c), kind=dp)]
    along = sum(a, dim=2) + product(a, dim=2)
    !$omp end target
    call check_complex('matmul', p(:, 1), matmul(a, b(:, 1)))
    call check_complex('mixed matmul', cmplx(d, kind=dp), cmplx(matmul(c, m), kind=dp))
    call check_complex('sums and products', s, [sum(a, mask=real(a) > 0), product(a(:, 2)), dot_product(a(1, :), b(:, 2)), &
      cmplx(sum(c), kind=dp)])
    call check_complex('the sum', q, spread(sum(a), 1, 4))
    call check_complex('along a dimension', along, sum(a, dim=2) + product(a, dim=2))
  end subroutine
end program
