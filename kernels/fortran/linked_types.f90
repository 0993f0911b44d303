! Types that contain themselves, on the device: a list of pointers, a tree, and a list whose nodes own each other. What describes such a type and its
! components to Fortran's runtime names each other, which PTX has no constants for.
module linked
  implicit none
  type node
    integer :: value
    type(node), pointer :: next => null()
  end type
  type tree
    integer :: key = -1
    type(tree), pointer :: left => null(), right => null()
  end type
  type chain
    integer :: value
    type(chain), allocatable :: next
  end type
contains
  ! The digits of a list that grows at its head, which is taken apart again.
  integer function reversed(n)
    !$omp declare target
    integer, intent(in) :: n
    type(node), pointer :: head, new
    integer :: i
    nullify(head)
    do i = 1, n
      allocate(new)
      new%value = i
      new%next => head
      head => new
    end do
    reversed = 0
    do while (associated(head))
      reversed = 10 * reversed + head%value
      new => head%next
      deallocate(head)
      head => new
    end do
  end function

  subroutine insert(root, key)
    !$omp declare target
    type(tree), pointer, intent(inout) :: root
    integer, intent(in) :: key
    type(tree), pointer :: at
    if (.not. associated(root)) then
      allocate(root)
      root%key = key
      return
    end if
    at => root
    do
      if (key < at%key) then
        if (.not. associated(at%left)) exit
        at => at%left
      else
        if (.not. associated(at%right)) exit
        at => at%right
      end if
    end do
    if (key < at%key) then
      allocate(at%left)
      at%left%key = key
    else
      allocate(at%right)
      at%right%key = key
    end if
  end subroutine

  integer function keys()
    !$omp declare target
    type(tree), pointer :: root
    nullify(root)
    call insert(root, 5)
    call insert(root, 3)
    call insert(root, 8)
    call insert(root, 4)
    keys = 1000 * root%key + 100 * root%left%key + 10 * root%left%right%key + root%right%key
    deallocate(root%left%right)
    deallocate(root%left, root%right)
    deallocate(root)
  end function

  subroutine push(list, value)
    !$omp declare target
    type(chain), allocatable, intent(inout) :: list
    integer, intent(in) :: value
    type(chain), allocatable :: new
    allocate(new)
    new%value = value
    call move_alloc(list, new%next)
    call move_alloc(new, list)
  end subroutine

  ! A copy of a list is one of all its nodes; both end with the procedure.
  integer function copied(n)
    !$omp declare target
    integer, intent(in) :: n
    type(chain), allocatable :: list, other
    integer :: i
    do i = 1, n
      call push(list, i)
    end do
    other = list
    other%next%value = 9
    copied = 1000 * other%value + 100 * list%next%value + 10 * other%next%value + other%next%next%value
  end function
end module

program linked_types
  use linked
  implicit none
  integer :: failures = 0
  integer :: one, two, three, lists(24), i
  !$omp target map(from: one, two, three)
  one = reversed(6)
  two = keys()
  three = copied(5)
  !$omp end target
  call check('a list of pointers', int(one, 8), 654321_8)
  call check('a tree', int(two, 8), 5348_8)
  call check('a list that owns its nodes', int(three, 8), 5493_8)
  !$omp target teams distribute parallel do map(from: lists)
  do i = 1, 24
    lists(i) = reversed(mod(i, 3) + 1) + copied(mod(i, 2) + 3)
  end do
  call check('lists of each thread', int(sum(lists), 8), 8 * (1 + 21 + 321) + 12 * (3291 + 4392_8))
  call finish()

contains
  include 'check.inc'
end program
