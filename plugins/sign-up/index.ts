// The exports for other plugins: whether sign-up is open, the creation of an account for a verified identity, and the terms to accept.
export { createByIdentity } from './account.ts'
export { checkSignUp } from './allowed.ts'
export { referralBinder } from './finish.ts'
export { mailboxOf } from './mailbox.ts'
export { proposeName } from './names.ts'
export { networkOf } from './policy.ts'
export { isSignUpOpen } from './settings.ts'
export { currentTerms, requireTerms, type Terms } from './terms.ts'
