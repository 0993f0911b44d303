!mod$ v1 sum:51baeaf77c80a289
module shapes
type::point
real(8)::x=1.5_8
real(8)::y=-2._8
integer(4)::tags(1_8:3_8)=[INTEGER(4)::7_4,8_4,9_4]
end type
type::cloud
integer(4)::number=3_4
type(point),allocatable::points(:)
real(8),allocatable::weights(:,:)
character(:,1),allocatable::name
integer(4),pointer::shared(:)=>NULL()
end type
intrinsic::null
type::pair
type(cloud)::both(1_8:2_8)
integer(4)::last=11_4
end type
type::inmost
integer(4),allocatable::value(:)
end type
type::fifth
type(inmost),allocatable::of(:)
end type
type::fourth
type(fifth)::of(1_8:2_8)
end type
type::third
type(fourth),allocatable::of
end type
type::second
type(third)::of
end type
type::first
type(second),allocatable::of(:)
end type
contains
function made(n) result(new)
integer(4),intent(in)::n
type(cloud)::new
end
subroutine add(to,from)
real(8),intent(inout)::to(1_8:3_8)
integer(4),intent(in)::from(1_8:*)
end
end
