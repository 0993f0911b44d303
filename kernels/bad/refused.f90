! What the Fortran runtime refuses in a kernel, chosen by the argument: nothing, a FINAL procedure (1), an assignment that the type has
! (2), an array with too few elements (3), what is not allocated (4), what is allocated (5).
module types
  implicit none
  type plain
    integer, allocatable :: values(:)
  end type
  type ended
    integer, allocatable :: values(:)
  contains
    final :: finish
  end type
  type assigned
    integer, allocatable :: values(:)
  contains
    procedure :: copy
    generic :: assignment(=) => copy
  end type
  type holder
    type(assigned) :: inner
  end type
contains
  subroutine finish(this)
    !$omp declare target
    type(ended), intent(inout) :: this
    this%values = 0
  end subroutine
  subroutine copy(this, other)
    !$omp declare target
    class(assigned), intent(inout) :: this
    class(assigned), intent(in) :: other
    this%values = -other%values
  end subroutine
end module

program refused
  use types
  implicit none
  character(8) :: word
  integer :: what, total
  integer :: given(4), matrix(2, 3)
  call get_command_argument(1, word)
  what = 0
  if (len_trim(word) > 0) read (word, *) what
  given = 1
  !$omp target map(to: what, given) map(from: total)
  total = 0
  block
    type(plain) :: a, b
    allocate (a%values(3))
    a%values = 2
    b = a
    total = sum(b%values)
  end block
  if (what == 1) then
    block
      type(ended) :: c
      allocate (c%values(3))
    end block
  end if
  if (what == 2) then
    block
      type(holder) :: d, e
      allocate (d%inner%values(3))
      d%inner%values = 1
      e = d
      total = sum(e%inner%values)
    end block
  end if
  if (what == 3) then
    matrix = reshape(given(1:what + 1), [2, 3], order=[2, 1])
    total = sum(matrix)
  end if
  block
    type(plain), allocatable :: once(:)
    if (what == 4) deallocate (once)
    if (what == 5) then
      allocate (once(what))
      allocate (once(what + 1))
      total = size(once)
    end if
  end block
  !$omp end target
  write (*, '(a, i0)') 'total ', total
end program
