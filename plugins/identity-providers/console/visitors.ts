// Routes of sign-ins by a provider, for visitors: the list of providers, the start and the end of a sign-in, and the sign-out at the provider.
import { Elysia } from 'elysia'
import {
  type ConsoleParts,
  FAILURES,
  siteSettings,
  visitorCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { cookieForm } from '../../../src/app/surface/console/site.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { permissionDenied } from '../../../src/domain/errors.ts'
import { type CookieForm, cookieOf, setCookie } from '../../../src/http/cookies.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'
import { flowCookie, flowForm, isOwnPage, readFlow } from '../flow.ts'
import { type IdentityProvider, isFor } from '../settings.ts'
import { endSessionUrl } from '../sign-out.ts'
import type { ProviderSignIn } from '../signing-in.ts'
import { termsFingerprint, termsToAccept } from '../signing-up.ts'
import { endFlow } from './finishing.ts'
import {
  Finish,
  FinishView,
  Leaving,
  LeavingView,
  ProvidersView,
  providerView,
  Start,
  StartView,
} from './views.ts'

const PATH = '/console/api/identity-providers'

/** `GET …/identity-providers`: the buttons of the form. `POST …/leave`: the sign-out page of the provider of this browser's last sign-in. */
export const providerRoutes = (gateway: ConsoleParts, own: ProviderSignIn) =>
  new Elysia({ name: 'console-identity-providers' })
    .use(visitorCalls(gateway))
    .get(
      PATH,
      async ({ request, viewer }) => {
        const left = viewer ? undefined : lastProviderOf(gateway, own, request)
        const url = left && (await waitBriefly(endSessionUrl(own, left, consoleUrl(gateway))))
        const providers = own.providers()
        const can_sign_up = providers.some((each) => isFor(each, 'accounts') && !each.staff_role)
        return {
          providers: providers.map(providerView),
          terms: termsToAccept(gateway, can_sign_up) ?? null,
          left: left && url ? providerView(left) : null,
        }
      },
      { response: { 200: ProvidersView, ...FAILURES } },
    )
    .post(
      `${PATH}/leave`,
      async ({ request, set }) => {
        const left = lastProviderOf(gateway, own, request)
        set.headers['set-cookie'] = setCookie(lastProviderForm(gateway, request), '', 0)
        return { url: (left && (await endSessionUrl(own, left, consoleUrl(gateway)))) ?? null }
      },
      { body: Leaving, response: { 200: LeavingView, ...FAILURES } },
    )

/** `POST …/start`: the provider's page, and a cookie with the sign-in's state. `POST …/finish`: takes the answer from the return page. */
export const signInRoutes = (gateway: ConsoleParts & Pick<Gateway, 'operations'>, own: ProviderSignIn) =>
  new Elysia({ name: 'console-identity-sign-in' })
    .use(visitorCalls(gateway))
    .post(
      `${PATH}/start`,
      async ({ body: { provider, next = '/', terms, ref }, request, set }) => {
        const form = startForm(gateway, request)
        const { url, flow } = await own.start({
          provider,
          purpose: 'sign_in',
          next: pageOf(next),
          ...(terms && { terms: termsFingerprint(terms) }),
          ...(ref !== undefined && { ref }),
        })
        set.headers['set-cookie'] = flowCookie(form, flow)
        return { url }
      },
      { body: Start, response: { 200: StartView, ...FAILURES } },
    )
    .post(
      `${PATH}/finish`,
      async ({ body, origin, request, set, viewer }) => {
        const settings = siteSettings(gateway)
        const form = cookieForm(request, settings)
        const flow_form = flowForm(request, settings)
        const visitor = visitorOf(origin)
        const flow = readFlow(request, flow_form, gateway.calls.now())
        const forgotten = setCookie(flow_form, '', 0)
        // The answer works once, whether it succeeds or fails.
        set.headers['set-cookie'] = forgotten
        const proved = await gateway.people.sessions.found(visitor, () =>
          own.finish(flow, body.provider, body.query),
        )
        const signed_in = await endFlow(gateway, own, proved, { viewer, visitor, origin })
        if (signed_in)
          set.headers['set-cookie'] = [
            forgotten,
            setCookie(form, signed_in.token, signed_in.lasts_s),
            setCookie(lastProviderForm(gateway, request), proved.provider.name, signed_in.lasts_s),
          ]
        return { purpose: proved.flow.purpose, next: proved.flow.next }
      },
      { body: Finish, response: { 200: FinishView, ...FAILURES } },
    )

/** Waits briefly: the form must not wait for a provider whose configuration is still to be read. */
const waitBriefly = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, Bun.sleep(MAX_WAIT_MS).then(() => undefined)])

const MAX_WAIT_MS = 300

const consoleUrl = ({ calls: { catalogue } }: Pick<ConsoleParts, 'calls'>): string =>
  `${withoutTrailing(catalogue().server.public_url ?? '', '/')}/console`

/** This cookie names the provider of the last sign-in, for as long as the browser may still be signed in there. */
function lastProviderForm(gateway: Pick<ConsoleParts, 'calls'>, request: Request): CookieForm {
  const { name, secure } = cookieForm(request, siteSettings(gateway))
  return { name: `${name}-provider`, secure }
}

function lastProviderOf(
  gateway: Pick<ConsoleParts, 'calls'>,
  own: ProviderSignIn,
  request: Request,
): IdentityProvider | undefined {
  const name = cookieOf(request, lastProviderForm(gateway, request).name)
  return own.providers().find((each) => each.name === name)
}

/**
 * Returns the form of the cookie with which a sign-in starts.
 *
 * @throws GatewayError permission_denied at an address other than `public_url`: providers send people back to that one, where the cookie is missing
 */
export function startForm(gateway: Pick<ConsoleParts, 'calls'>, request: Request): CookieForm {
  const { public_url } = siteSettings(gateway)
  const from = request.headers.get('origin')
  if (public_url !== undefined && from !== null && from !== new URL(public_url).origin)
    throw permissionDenied(
      `Providers send people back to ${new URL(public_url).origin}. Open the console there to sign in this way.`,
      { code: 'other_address' },
    )
  return flowForm(request, siteSettings(gateway))
}

/** Replaces an address outside the console by the console's first page. */
export const pageOf = (next: string): string => (isOwnPage(next) ? next : '/')
