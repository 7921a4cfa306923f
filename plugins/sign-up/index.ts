// The exports for other plugins: whether sign-up is open, the creation of an account for a verified identity, and the terms to accept.
export { createSignedUp } from './account.ts'
export { signUpAllowed } from './allowed.ts'
export { referralBy } from './finish.ts'
export { mailboxOf } from './mailbox.ts'
export { proposeName } from './names.ts'
export { networkOf } from './policy.ts'
export { isSignUpOpen } from './settings.ts'
export { currentTerms, requireTerms, type Terms } from './terms.ts'
