// Whether somebody may sign up by an identity: the policy of the form, without its challenge and its mail.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { personsAddress } from '../../src/domain/mail-address.ts'
import { createDisposableDomains } from './disposable.ts'
import { closed, countSignUp, networkOf, requireAllowedDomain } from './policy.ts'
import { isSignUpOpen, signUpSettings } from './settings.ts'

/**
 * Whether an address may sign up from a network address, which counts as one sign-up of both. Only while sign-up is open to anybody: an invitation
 * is for the form. The provider of the identity has to vouch for the address.
 *
 * @param address of the visitor
 * @returns the address as a person has it
 * @throws GatewayError permission_denied while sign-up is closed; invalid_request for an address that may not sign up; rate_limited
 */
export async function signUpAllowed(
  { calls, operations, db }: Pick<Gateway, 'calls' | 'operations' | 'db'>,
  { email, address }: { email: string; address: string | undefined },
): Promise<string> {
  const catalogue = calls.catalogue()
  if (!isSignUpOpen(catalogue)) throw closed()
  const limits = signUpSettings.of(catalogue)
  const own = personsAddress(email)
  await requireAllowedDomain(own, limits, createDisposableDomains(operations.data_folder))
  const now_ms = calls.now()
  await db.begin((tx) => countSignUp(tx, { email: own, network: networkOf(address) }, { limits, now_ms }))
  return own
}
