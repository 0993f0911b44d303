! Functions of texts and of small kinds: the greatest and the least texts and where they are, products of matrices of all kinds, kinds by
! what they are to hold, and output to texts.
program kinds_and_texts
  implicit none
  integer :: failures = 0
  call extremes()
  call products()
  call kinds()
  call internal_files()
  call finish()

contains
  include 'check.inc'

  subroutine extremes()
    character(4) :: names(2, 3), found(4), along(3), none
    integer :: places(2, 3), in_rows(3)
    names = reshape([character(4) :: 'bcde', 'abcd', 'zz', 'mmmm', 'abc', 'zz'], [2, 3])
    !$omp target map(to: names) map(from: found, along, places, in_rows, none)
    found = [maxval(names), minval(names), maxval(names, mask=names < 'n'), minval(names(1, :))]
    places(:, 1) = maxloc(names)
    places(:, 2) = minloc(names)
    places(:, 3) = maxloc(names, back=.true.)
    along = maxval(names, dim=1)
    in_rows = minloc(names, dim=1)
    none = maxval(names(1, 2:1))
    !$omp end target
    call check_that('the greatest', found(1) == 'zz')
    call check_that('the least', found(2) == 'abc')
    call check_that('with a mask', found(3) == 'mmmm')
    call check_that('of a part', found(4) == 'abc')
    call check_that('places', all(places == reshape([1, 2, 1, 3, 2, 3], [2, 3])))
    call check_that('along a dimension', all(along == [character(4) :: 'bcde', 'zz', 'zz']) .and. all(in_rows == [2, 2, 1]))
    call check_that('of none', none == repeat(achar(0), 4))
  end subroutine

  subroutine products()
    integer(1) :: bytes(3, 3)
    integer(2) :: halves(3, 3)
    integer(8) :: mixed(3)
    logical(1) :: small(2, 2)
    logical :: truths(2, 2), all_of_them(2, 2)
    integer :: i
    bytes = reshape([(int(i, 1), i=1, 9)], [3, 3])
    halves = bytes * 100
    small = reshape([.true., .false., .false., .true.], [2, 2])
    truths = .true.
    !$omp target map(tofrom: bytes, halves) map(to: small, truths) map(from: mixed, all_of_them)
    mixed = matmul(bytes, halves(:, 1) * 1_8)
    halves = matmul(halves, bytes)
    bytes = matmul(bytes, bytes)
    all_of_them = matmul(truths, small)
    !$omp end target
    call check('bytes', sum(int(bytes, 8)), sum(int([(mod(i, 1000), i=1, 0)], 8)) + 30 + 36 + 42 + 66 + 81 + 96 + 102 + 126 + 150 - 256)
    call check('two bytes', sum(int(halves, 8)), 100_8 * (30 + 36 + 42 + 66 + 81 + 96 + 102 + 126 + 150))
    call check('mixed ones', sum(mixed), 100_8 * (30 + 36 + 42))
    call check_that('logical ones', all(all_of_them))
  end subroutine

  subroutine kinds()
    integer, parameter :: most = 40
    integer :: digits, seen(most, 5), i
    character(9), parameter :: names(4) = [character(9) :: 'ascii', 'DEFAULT', 'ISO_10646', 'ebcdic']
    character(9) :: given(4)
    integer :: of_names(4)
    given = names
    !$omp target map(to: given) map(from: seen, of_names)
    do digits = 1, most
      seen(digits, :) = kinds_of(digits)
    end do
    do digits = 1, 4
      of_names(digits) = selected_char_kind(given(digits))
    end do
    !$omp end target
    do i = 1, most
      if (any(seen(i, :) /= kinds_of(i))) write (*, '(11i5)') i, seen(i, :), kinds_of(i)
    end do
    call check_that('kinds', all([(all(seen(i, :) == kinds_of(i)), i=1, most)]))
    call check_that('kinds of letters', all(of_names == [1, 1, 4, -1]))
  end subroutine

  pure function kinds_of(digits)
    !$omp declare target
    integer, intent(in) :: digits
    integer :: kinds_of(5)
    kinds_of = [selected_int_kind(digits), selected_real_kind(digits), selected_real_kind(6, digits * 20), &
      selected_real_kind(digits, digits * 200), selected_logical_kind(digits * 2)]
  end function

  subroutine internal_files()
    character(32) :: line, numbers
    character(12) :: lines(3)
    integer :: i
    lines = 'nothing'
    !$omp target map(tofrom: line, numbers, lines)
    i = 42
    write (line, *) i, 'and', .true.
    write (numbers, *) 2.5d0, (1.0, -2.0)
    write (lines, *) 123456, 789012, 345
    !$omp end target
    write (*, '(5(a, a))') line, '|', numbers, '|', (lines(i), '|', i=1, 3)
    call check_that('a number', line == ' 42 and T')
  end subroutine
end program
