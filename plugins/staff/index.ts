// The exports for other plugins: what a viewer may credit to accounts, and links for people of the staff.
export { allowanceOf, isCreditAllowed, overAllowance } from './allowance.ts'
export { linkForStaff, refuseDisabled } from './invite.ts'
export { requireStaff, subjectOf } from './people.ts'
export { allStaff } from './rows.ts'
