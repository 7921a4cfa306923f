// The exports for other plugins: whether strangers may sign up, the account of one whose address a provider of identities vouches for, and the terms
// that they accept.
export { createSignedUp } from './account.ts'
export { signUpAllowed } from './allowed.ts'
export { referralBy } from './finish.ts'
export { mailboxOf } from './mailbox.ts'
export { proposeName } from './names.ts'
export { networkOf } from './policy.ts'
export { isSignUpOpen } from './settings.ts'
export { currentTerms, requireTerms, type Terms } from './terms.ts'
