! REDUCE with functions of the program: of numbers, texts and derived types, by reference and by value. (Those of logical values end flang 22's
! runtime on the host.)
module functions
  implicit none
  type pair
    integer :: least = 0, most = 0
  end type
contains
  pure integer function digits(a, b)
    !$omp declare target
    integer, intent(in) :: a, b
    digits = mod(a * 10 + b, 1000003)
  end function
  pure real(8) function by_value(a, b)
    !$omp declare target
    real(8), value :: a, b
    by_value = a / 2 + b
  end function
  pure complex(8) function turned(a, b)
    !$omp declare target
    complex(8), intent(in) :: a, b
    turned = a * (0, 1) + b
  end function
  pure function later(a, b)
    !$omp declare target
    character(4), intent(in) :: a, b
    character(4) :: later
    later = max(a, b)
  end function
  pure type(pair) function around(a, b)
    !$omp declare target
    type(pair), intent(in) :: a, b
    around = pair(min(a%least, b%least), max(a%most, b%most))
  end function
end module

program reductions_by_functions
  use functions
  implicit none
  integer, parameter :: n = 7
  integer :: failures = 0
  integer :: numbers(n, 3), whole(4), along(3), i, j
  real(8) :: reals(n), sums(2)
  logical :: flags(n)
  complex(8) :: complexes(n), turn
  character(4) :: words(n), word
  type(pair) :: pairs(n), both
  do i = 1, n
    numbers(i, :) = [(mod(i * j, 10), j = 1, 3)]
    words(i) = achar(iachar('a') + mod(i * 3, 7)) // 'xyz'
    pairs(i) = pair(mod(i * 5, 7), mod(i * 3, 11))
  end do
  reals = numbers(:, 3)
  flags = numbers(:, 2) > 3
  complexes = cmplx(reals, 1, 8)
  !$omp target map(to: numbers, reals, flags, complexes, words, pairs) map(from: whole, along, sums, turn, word, both)
  whole(1) = reduce(numbers(:, 1), digits)
  whole(2) = reduce(numbers, digits, mask=numbers > 5)
  whole(3) = reduce(numbers, digits, mask=numbers > 50, identity=-4)
  along = reduce(numbers, digits, dim=1)
  sums = [reduce(reals, by_value), reduce(reals, by_value, mask=flags)]
  turn = reduce(complexes, turned)
  word = reduce(words, later)
  both = reduce(pairs, around)
  whole(4) = both%least * 100 + both%most
  !$omp end target
  call check('in order', int(whole(1), 8), int(reduce(numbers(:, 1), digits), 8))
  call check('with a mask', int(whole(2), 8), int(reduce(numbers, digits, mask=numbers > 5), 8))
  call check('an identity', int(whole(3), 8), -4_8)
  call check('along a dimension', sum(along * [1_8, 7_8, 49_8]), sum(reduce(numbers, digits, dim=1) * [1_8, 7_8, 49_8]))
  call check_real('values', sums(1), reduce(reals, by_value))
  call check_real('values with a mask', sums(2), reduce(reals, by_value, mask=flags))
  call check_that('complex numbers', turn == reduce(complexes, turned))
  call check_that('texts', word == 'gxyz')
  call check('derived types', int(whole(4), 8), int(minval(pairs%least) * 100 + maxval(pairs%most), 8))
  call finish()

contains
  include 'check.inc'
end program
