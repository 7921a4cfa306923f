// Sign-in by a provider, from the button to the session: the redirect to the provider, and its answer.
import type { ProvedPerson } from '../../src/access/people.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { notFound, permissionDenied } from '../../src/domain/errors.ts'
import type { Tx } from '../../src/store/db.ts'
import type { ProvedIdentity } from './claims.ts'
import { createDirectory, type Directory, type KnownProvider } from './directory.ts'
import { authorizationUrl, exchangeCode, newSecrets } from './exchange.ts'
import { doesNotAnswer } from './failures.ts'
import { FLOW_MS, type Flow } from './flow.ts'
import { type IdentitySignIn, type NotifyChange, personOfIdentity } from './person-of-identity.ts'
import { type IdentityProvider, redirectUriOf, type SignInSettings } from './settings.ts'
import { isSpent, spend } from './spent.ts'

/** The running part of the plugin. */
export interface ProviderSignIn {
  /** The providers of the current catalogue, in its order. */
  providers(): readonly IdentityProvider[]
  /** @throws GatewayError not_found */
  provider(name: string): IdentityProvider
  /** The provider with its published configuration. @throws GatewayError upstream_failed */
  known(provider: IdentityProvider): Promise<KnownProvider>
  /** Returns the provider's page, and the state that the browser keeps until the answer comes. */
  start(
    requested: Pick<Flow, 'provider' | 'purpose' | 'session_id' | 'terms' | 'ref' | 'next'>,
  ): Promise<{ url: string; flow: Flow }>
  /**
   * Checks the provider's answer.
   *
   * @param query of the address to which the provider sent the person back
   * @throws GatewayError permission_denied for an answer that this browser did not request, or that was used; unauthenticated for one without proof;
   * upstream_failed while the provider fails
   */
  finish(flow: Flow | undefined, name: string, query: string): Promise<ProvedSignIn>
  /** Uses up the answer, and finds its person. In the transaction that opens the session. @param signUp from `accountCreator` */
  enter(tx: Tx, proved: ProvedSignIn, signUp: IdentitySignIn['signUp']): Promise<ProvedPerson>
  /** Uses up the answer for a signed-in viewer. In the transaction that links the identity. */
  use(tx: Tx, proved: ProvedSignIn): Promise<void>
  readonly notifyChange: NotifyChange
}

/** The provider's answer, checked, with the flow that it ends. */
export interface ProvedSignIn {
  flow: Flow
  provider: IdentityProvider
  identity: ProvedIdentity
}

interface Parts {
  gateway: Pick<Gateway, 'calls' | 'db'>
  settings: () => SignInSettings
  notifyChange: NotifyChange
}

export function createProviderSignIn({ gateway, settings, notifyChange }: Parts): ProviderSignIn {
  const { db } = gateway
  const { now, log, catalogue } = gateway.calls
  const directory = createDirectory({ now, log })
  const publicUrl = () => catalogue().server.public_url ?? ''
  const providerOf = (name: string): IdentityProvider => {
    const provider = settings().providers.find((each) => each.name === name)
    if (!provider) throw notFound('This provider is not a way to sign in any more. Sign in another way.')
    return provider
  }
  const known = (provider: IdentityProvider) => knownOf(directory, provider)
  const use = async (tx: Tx, { flow, provider }: ProvedSignIn): Promise<void> => {
    if (!(await spend(tx, ['state', provider.issuer, flow.state], now() + 2 * FLOW_MS))) throw usedAlready()
  }
  return {
    providers: () => settings().providers,
    provider: providerOf,
    known,
    use,
    notifyChange,

    async start(requested) {
      const provider = providerOf(requested.provider)
      const secrets = await newSecrets()
      const redirect_uri = redirectUriOf(publicUrl(), provider)
      const url = await authorizationUrl(await known(provider), provider, {
        redirect_uri,
        secrets,
        purpose: requested.purpose,
      })
      return { url, flow: { ...requested, ...secrets, started_at_ms: now() } }
    },

    async finish(flow, name, query) {
      if (!flow || flow.provider !== name) throw notStartedHere()
      const provider = providerOf(name)
      if (await isSpent(db, ['state', provider.issuer, flow.state])) throw usedAlready()
      const callback_url = new URL(redirectUriOf(publicUrl(), provider))
      callback_url.search = query
      const { state, nonce, verifier, purpose } = flow
      // Checked first: an error from a sign-in of another browser is not reported here.
      if (callback_url.searchParams.get('state') !== state) throw notStartedHere()
      const secrets = { state, nonce, verifier }
      const identity = await exchangeCode(await known(provider), provider, { callback_url, secrets, purpose })
      return { flow, provider, identity }
    },

    async enter(tx, proved, signUp) {
      await use(tx, proved)
      const { provider, identity } = proved
      return await personOfIdentity(tx, { provider, identity, now_ms: now(), notifyChange, signUp })
    },
  }
}

async function knownOf(directory: Directory, provider: IdentityProvider): Promise<KnownProvider> {
  try {
    return await directory.of(provider)
  } catch (cause) {
    throw doesNotAnswer(provider, cause)
  }
}

/** The answer belongs to another browser or to no sign-in: an attacker may have sent it to sign this person in as themselves. */
const notStartedHere = () =>
  permissionDenied(
    `This sign-in was not started in this browser, or took longer than ${FLOW_MS / 60_000} minutes. Start again.`,
    { code: 'sign_in_not_started' },
  )

const usedAlready = () =>
  permissionDenied('This sign-in was finished already. Start again.', { code: 'sign_in_used' })
