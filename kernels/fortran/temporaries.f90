! What the compiler asks the runtime about arrays, and the copies that it makes for a while: bounds and shapes of arrays of any rank,
! TRANSFER, FORALL and WHERE whose values overlap, and random numbers.
program temporaries
  implicit none
  integer, parameter :: n = 12
  integer :: failures = 0
  call bounds()
  call transfers()
  call foralls()
  call random()
  call finish()

contains
  include 'check.inc'

  subroutine look(a, dimension, seen)
    !$omp declare target
    integer, intent(in) :: a(..), dimension
    integer, intent(out) :: seen(:)
    seen(1) = rank(a)
    seen(2) = size(a)
    seen(3) = size(a, dimension)
    seen(4) = lbound(a, dimension)
    seen(5) = ubound(a, dimension)
    seen(6) = sum(shape(a))
    seen(7) = merge(1, 0, is_contiguous(a))
  end subroutine

  subroutine bounds()
    integer :: matrix(2:4, 0:6), seen(7, 3), dimension
    matrix = 1
    dimension = 2
    !$omp target map(tofrom: matrix, seen)
    call look(matrix, dimension, seen(:, 1))
    call look(matrix(2::2, ::3), dimension, seen(:, 2))
    call look(matrix(4, :), dimension - 1, seen(:, 3))
    !$omp end target
    call check('a matrix', digits_of(seen(:, 1)), digits_of([2, 21, 7, 1, 7, 10, 1]))
    call check('a part of it', digits_of(seen(:, 2)), digits_of([2, 6, 3, 1, 3, 5, 0]))
    call check('a row of it', digits_of(seen(:, 3)), digits_of([1, 7, 7, 1, 7, 7, 0]))
  end subroutine

  function digits_of(numbers) result(number)
    integer, intent(in) :: numbers(:)
    integer(8) :: number
    integer :: i
    number = 0
    do i = 1, size(numbers)
      number = number * 100 + numbers(i)
    end do
  end function

  subroutine transfers()
    type pair
      integer :: low, high
    end type
    type(pair) :: pairs(2)
    integer(8) :: wide
    integer :: parts(4), few(3)
    character(8) :: text
    wide = 0
    parts = 0
    few = 0
    !$omp target map(tofrom: wide, parts, few, pairs, text)
    wide = transfer([1, 2], wide)
    pairs = [pair(3, 4), pair(5, 6)]
    parts = transfer(pairs, parts)
    few = transfer(pairs(2:1:-1), few, size(few))
    text = transfer(int(z'6867666564636261', 8), text)
    !$omp end target
    call check('two numbers as one', wide, 2_8**33 + 1)
    call check('pairs as numbers', digits_of(parts), digits_of([3, 4, 5, 6]))
    call check('some of them', digits_of(few), digits_of([5, 6, 3]))
    call check('a number as text', merge(1_8, 0_8, text == 'abcdefgh'), 1_8)
  end subroutine

  subroutine foralls()
    integer :: a(n), b(n, n), i, j
    logical :: chosen(n)
    a = [(i, i = 1, n)]
    b = reshape([(i, i = 1, n * n)], [n, n])
    chosen = mod(a, 3) == 0
    !$omp target map(tofrom: a, b) map(to: chosen)
    forall (i = 2:n) a(i) = a(i - 1) + a(n + 1 - i)
    forall (i = 1:n, j = 1:n, i < j) b(i, j) = b(j, i)
    where (chosen)
      a = a(n:1:-1)
    elsewhere
      a = -a
    end where
    !$omp end target
    call check('forall and where', sum(int(a, 8) * [(i, i = 1, n)]), where_sum())
    call check('a symmetric matrix', sum(int(b - transpose(b), 8)**2), 0_8)
  end subroutine

  function where_sum() result(total)
    integer :: a(n), old(n), i
    integer(8) :: total
    a = [(i, i = 1, n)]
    old = a
    do i = 2, n
      a(i) = old(i - 1) + old(n + 1 - i)
    end do
    old = a
    do i = 1, n
      a(i) = merge(old(n + 1 - i), -old(i), mod(i, 3) == 0)
    end do
    total = sum(int(a, 8) * [(i, i = 1, n)])
  end function

  subroutine random()
    integer, parameter :: threads = 64, draws = 50
    real(8) :: numbers(draws, threads), again(draws), first(draws)
    real :: few(draws)
    integer :: i, seed(2), length
    !$omp target teams distribute parallel do map(from: numbers) num_teams(1)
    do i = 1, threads
      call random_number(numbers(:, i))
    end do
    !$omp target map(from: first, again, few, seed, length)
    call random_init(.true., .true.)
    call random_seed(size=length)
    call random_seed(get=seed)
    call random_number(first)
    call random_seed(put=seed)
    call random_number(again)
    call random_number(few)
    !$omp end target
    call check('from 0 on, below 1', int(count(numbers >= 0 .and. numbers < 1), 8), int(threads * draws, 8))
    call check('in the middle', nint(abs(sum(numbers) / (threads * draws) - 0.5d0) * 10, 8), 0_8)
    call check('the same again', int(count(first == again), 8), int(draws, 8))
    call check('of one kind', int(count(few >= 0 .and. few < 1), 8), int(draws, 8))
    call check('others each time', int(count(few == few(1)), 8), 1_8)
  end subroutine
end program
