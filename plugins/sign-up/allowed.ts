// The policy check for a sign-up by an identity: the same as for the form, without challenge and mail.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { personsAddress } from '../../src/domain/mail-address.ts'
import { createDisposableDomains } from './disposable.ts'
import { closed, countSignUp, networkOf, requireAllowedDomain } from './policy.ts'
import { isSignUpOpen, signUpSettings } from './settings.ts'

/**
 * Checks whether an address may sign up from a network address, and counts the sign-up for its domain and network. It works only in the mode "open":
 * invitations are for the form. The identity provider must say that the address is verified.
 *
 * @param address of the visitor
 * @returns the email address, normalized by `personsAddress`
 * @throws GatewayError permission_denied while sign-up is closed; invalid_request for an address that may not sign up; rate_limited
 */
export async function checkSignUp(
  { calls, operations, db }: Pick<Gateway, 'calls' | 'operations' | 'db'>,
  { email, address }: { email: string; address: string | undefined },
): Promise<string> {
  const catalogue = calls.catalogue()
  if (!isSignUpOpen(catalogue)) throw closed()
  const limits = signUpSettings.of(catalogue)
  const canonical = personsAddress(email)
  await requireAllowedDomain(canonical, limits, createDisposableDomains(operations.data_folder))
  const now_ms = calls.now()
  await db.begin((tx) =>
    countSignUp(tx, { email: canonical, network: networkOf(address) }, { limits, now_ms }),
  )
  return canonical
}
