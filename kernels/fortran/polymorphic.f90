! Polymorphic variables on the device: their type is that of what they are allocated as or assigned, and procedures of that type are called.
module animals
  implicit none
  type :: animal
    integer :: legs = 4
  contains
    procedure :: count => count_of_animal
  end type
  type, extends(animal) :: herd
    integer, allocatable :: others(:)
  contains
    procedure :: count => count_of_herd
  end type
  type, extends(herd) :: flock
    real(8) :: wings = 2
  end type
contains
  integer function count_of_animal(this)
    !$omp declare target
    class(animal), intent(in) :: this
    count_of_animal = this%legs
  end function
  integer function count_of_herd(this)
    !$omp declare target
    class(herd), intent(in) :: this
    count_of_herd = this%legs + sum(this%others)
  end function
  integer function kind_of(this)
    !$omp declare target
    class(animal), intent(in) :: this
    select type (this)
    type is (flock)
      kind_of = 3
    class is (herd)
      kind_of = 2
    class default
      kind_of = 1
    end select
  end function
  function bird()
    !$omp declare target
    class(herd), allocatable :: bird
    bird = flock(legs=2, others=[6, 7])
  end function
end module

program polymorphic
  use animals
  implicit none
  integer :: failures = 0
  call one()
  call several()
  call finish()

contains
  include 'check.inc'

  subroutine one()
    integer(8) :: seen(7)
    seen = 0
    !$omp target map(tofrom: seen)
    block
      class(animal), allocatable :: a, b
      type(herd) :: sheep, some(2)
      sheep%others = [1, 2, 3]
      sheep%legs = 10
      allocate (a)
      seen(1) = kind_of(a) * 100 + a%count()
      deallocate (a)
      allocate (a, source=sheep)
      b = a
      sheep%others = 0
      seen(2) = kind_of(a) * 100 + a%count()
      seen(3) = kind_of(b) * 100 + b%count()
      seen(4) = merge(1, 0, same_type_as(b, sheep)) + merge(10, 0, extends_type_of(a, b))
      b = animal(legs=6)
      seen(5) = kind_of(b) * 100 + b%count() + merge(1000, 0, same_type_as(b, sheep))
      deallocate (b)
      allocate (b, mold=a)
      select type (b)
      class is (herd)
        seen(6) = merge(1, 2, allocated(b%others)) + b%legs * 10
      end select
      some = bird()
      seen(7) = some(1)%count() + kind_of(some(2)) * 100
    end block
    !$omp end target
    call check('as it is declared', seen(1), 104_8)
    call check('of a source', seen(2), 216_8)
    call check('assigned', seen(3), 216_8)
    call check('types compared', seen(4), 11_8)
    call check('of another type', seen(5), 106_8)
    call check('of a mold', seen(6), 42_8)
    call check('to a parent', seen(7), 215_8)
  end subroutine

  subroutine several()
    integer, parameter :: n = 12
    integer :: counts(n), i
    counts = 0
    !$omp target teams distribute parallel do map(tofrom: counts)
    do i = 1, n
      block
        class(animal), allocatable :: own
        class(animal), pointer :: at
        type(herd), target :: two
        if (mod(i, 3) == 0) then
          allocate (own)
        else if (mod(i, 3) == 1) then
          allocate (own, source=herd(others=[i, i]))
        else
          allocate (own, source=flock(others=[i]))
        end if
        allocate (two%others(2))
        two%others = 5
        at => two
        counts(i) = own%count() + 100 * kind_of(own) + 1000 * at%count()
      end block
    end do
    call check('each thread its own', sum(int(counts, 8)), n * 14000_8 + n * 4 + 2 * 22 + 26 + 100 * (4 + 8 + 12))
  end subroutine
end program
