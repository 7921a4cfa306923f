// The exports for other plugins: the amount that a viewer may credit, and links for people of the staff.
export { allowanceOf, isCreditAllowed, overAllowance } from './allowance.ts'
export { linkForStaff, refuseDisabled } from './invite.ts'
export { requireStaff, subjectOf } from './people.ts'
export { allStaff } from './rows.ts'
