! Mathematical functions on the device, which flang leaves to libraries that GPUs do not have: as on the host, to a few units
! of the last place.
program math
  implicit none
  integer, parameter :: functions = 25, n = 64
  integer :: failures = 0, i, j
  real(8) :: x(n), device(functions, n), host(functions, n)
  real(4) :: device4(7, n), host4(7, n)
  character(2) :: number
  do i = 1, n
    x(i) = 0.9d0 * i / n
  end do
  device = 0
  device4 = 0
  !$omp target teams distribute parallel do map(to: x) map(tofrom: device, device4)
  do i = 1, n
    call of_double(x(i), i, device(:, i))
    call of_single(real(x(i)), device4(:, i))
  end do
  do i = 1, n
    call of_double(x(i), i, host(:, i))
    call of_single(real(x(i)), host4(:, i))
  end do
  do j = 1, functions
    write (number, '(i2)') j
    call check('double '//number, int(count(abs(device(j, :) - host(j, :)) > 1d-14 * abs(host(j, :))), 8), 0_8)
  end do
  do j = 1, 7
    write (number, '(i2)') j
    call check('single '//number, int(count(abs(device4(j, :) - host4(j, :)) > 1e-5 * abs(host4(j, :))), 8), 0_8)
  end do
  call finish()

contains
  include 'check.inc'

  subroutine of_double(x, i, y)
    !$omp declare target
    real(8), intent(in) :: x
    integer, intent(in) :: i
    real(8), intent(out) :: y(functions)
    y(1) = sin(x)
    y(2) = cos(x)
    y(3) = tan(x)
    y(4) = asin(x)
    y(5) = acos(x)
    y(6) = atan(x)
    y(7) = atan2(x, 2d0)
    y(8) = sinh(x)
    y(9) = cosh(x)
    y(10) = tanh(x)
    y(11) = exp(x)
    y(12) = log(x)
    y(13) = log10(x)
    y(14) = x**2.5d0
    y(15) = x**mod(i, 7)
    y(16) = asinh(x)
    y(17) = acosh(1 + x)
    y(18) = atanh(x)
    y(19) = erf(x)
    y(20) = gamma(1 + x)
    y(21) = hypot(x, 1d0)
    y(22) = bessel_j0(x)
    y(23) = mod(10 * x, 0.3d0)
    y(24) = nint(100 * x) + nint(1d12 * x, 8)
    y(25) = erfc_scaled(x)
  end subroutine

  subroutine of_single(x, y)
    !$omp declare target
    real(4), intent(in) :: x
    real(4), intent(out) :: y(7)
    y(1) = sin(x)
    y(2) = exp(x)
    y(3) = log(x)
    y(4) = x**0.5
    y(5) = atan2(x, 3.0)
    y(6) = erf(x)
    y(7) = erfc_scaled(x)
  end subroutine
end program
