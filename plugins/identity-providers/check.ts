// The doctor's check of identity providers: each publishes what a sign-in needs; and the addresses to register at the provider.
import { type Diagnosis, diagnosesOf, type ReadContext } from '../../src/app/checks/check.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { readProvider } from './directory.ts'
import { type IdentityProvider, logoutUriOf, redirectUriOf, signInSettings } from './settings.ts'

const of_all = diagnosesOf('identity providers')

export async function checkProviders({ catalogue }: Pick<ReadContext, 'catalogue'>): Promise<Diagnosis[]> {
  const { providers, unavailable } = signInSettings.of(catalogue)
  const unset = unavailable.map(({ name, variable }) =>
    diagnosesOf(`identity provider ${name}`).warn(
      `not checked: the environment variable ${variable} is not set`,
      'Set it for this command, too, and check that the gateway has it.',
    ),
  )
  if (providers.length === 0 && unset.length === 0) return [of_all.ok('none is configured')]
  const { public_url = '' } = catalogue.server
  const checks = providers.map((provider) => checkProvider(provider, public_url))
  return [...(await Promise.all(checks)), ...unset]
}

async function checkProvider(provider: IdentityProvider, public_url: string): Promise<Diagnosis> {
  const { name, issuer, is_github } = provider
  const { ok, fail } = diagnosesOf(`identity provider ${name}`)
  const redirect = `register the redirect URI ${redirectUriOf(public_url, provider)}`
  if (is_github) return ok(`${issuer} publishes no configuration to check; ${redirect}`)
  try {
    const { metadata } = await readProvider(provider)
    const { backchannel_logout_supported } = metadata as { backchannel_logout_supported?: unknown }
    const logout =
      backchannel_logout_supported === true
        ? `, and the back-channel logout URL ${logoutUriOf(public_url, provider)}`
        : ''
    return ok(`${metadata.issuer} answers; ${redirect}${logout}`)
  } catch (thrown) {
    const { cause } = Object(thrown) as { cause?: unknown }
    const why = [messageOf(thrown), ...(cause instanceof Error ? [cause.message] : [])].join(': ')
    return fail(
      `${issuer} does not answer as a provider: ${why}`,
      'Compare issuer with what the provider says in its own configuration, to the letter; and check that this machine reaches it.',
    )
  }
}
