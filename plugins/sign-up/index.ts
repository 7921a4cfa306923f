// The exports for other plugins: whether strangers may sign up, and the account of one whose address a provider of identities vouches for.
export { createSignedUp, type NewHolder, requireTerms, type SigningUp } from './account.ts'
export { signUpAllowed } from './allowed.ts'
export { checkChosenName, proposeName } from './names.ts'
export { networkOf } from './policy.ts'
export { isSignUpOpen } from './settings.ts'
export { currentTerms, type Terms } from './terms.ts'
