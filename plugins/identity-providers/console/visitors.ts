// Routes of signing in by a provider, for anybody: which there are, the way there, and back; and signing out there, too.
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
import { flowCookie, flowForm, flowOf, isOwnPage } from '../flow.ts'
import { type IdentityProvider, isFor } from '../settings.ts'
import { endSessionUrl } from '../sign-out.ts'
import type { SigningIn } from '../signing-in.ts'
import { markOf, termsBefore } from '../signing-up.ts'
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

/** `GET …/identity-providers`: the buttons of the form. `POST …/leave`: where somebody who has signed out here signs out there. */
export const providerRoutes = (gateway: ConsoleParts, own: SigningIn) =>
  new Elysia({ name: 'console-identity-providers' })
    .use(visitorCalls(gateway))
    .get(
      PATH,
      async ({ request, viewer }) => {
        const left = viewer ? undefined : leftBy(gateway, own, request)
        const url = left && (await soon(endSessionUrl(own, left, consoleUrl(gateway))))
        const providers = own.providers()
        const lets_in_strangers = providers.some((each) => isFor(each, 'accounts') && !each.staff_role)
        return {
          providers: providers.map(providerView),
          terms: termsBefore(gateway, lets_in_strangers) ?? null,
          left: left && url ? providerView(left) : null,
        }
      },
      { response: { 200: ProvidersView, ...FAILURES } },
    )
    .post(
      `${PATH}/leave`,
      async ({ request, set }) => {
        const left = leftBy(gateway, own, request)
        set.headers['set-cookie'] = setCookie(leftForm(gateway, request), '', 0)
        return { url: (left && (await endSessionUrl(own, left, consoleUrl(gateway)))) ?? null }
      },
      { body: Leaving, response: { 200: LeavingView, ...FAILURES } },
    )

/** `POST …/start`: where to go, with what the browser keeps. `POST …/finish`: what the page that they come back to sends on. */
export const signInRoutes = (gateway: ConsoleParts & Pick<Gateway, 'operations'>, own: SigningIn) =>
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
          ...(terms && { terms: markOf(terms) }),
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
        const flow = flowOf(request, flow_form, gateway.calls.now())
        const forgotten = setCookie(flow_form, '', 0)
        // Whatever comes of it, this answer is not looked at twice.
        set.headers['set-cookie'] = forgotten
        const proved = await gateway.people.sessions.found(visitor, () =>
          own.finish(flow, body.provider, body.query),
        )
        const signed_in = await endFlow(gateway, own, proved, { viewer, visitor, origin })
        if (signed_in)
          set.headers['set-cookie'] = [
            forgotten,
            setCookie(form, signed_in.token, signed_in.lasts_s),
            setCookie(leftForm(gateway, request), proved.provider.name, signed_in.lasts_s),
          ]
        return { purpose: proved.flow.purpose, next: proved.flow.next }
      },
      { body: Finish, response: { 200: FinishView, ...FAILURES } },
    )

/** The form waits for no provider that has to be read first, and may not answer. */
const soon = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, Bun.sleep(MAX_WAIT_MS).then(() => undefined)])

const MAX_WAIT_MS = 300

const consoleUrl = ({ calls: { catalogue } }: Pick<ConsoleParts, 'calls'>): string =>
  `${withoutTrailing(catalogue().server.public_url ?? '', '/')}/console`

/** Names the provider by which a browser is signed in, for as long as it may be signed in there, too. */
function leftForm(gateway: Pick<ConsoleParts, 'calls'>, request: Request): CookieForm {
  const { name, secure } = cookieForm(request, siteSettings(gateway))
  return { name: `${name}-provider`, secure }
}

function leftBy(
  gateway: Pick<ConsoleParts, 'calls'>,
  own: SigningIn,
  request: Request,
): IdentityProvider | undefined {
  const name = cookieOf(request, leftForm(gateway, request).name)
  return own.providers().find((each) => each.name === name)
}

/**
 * The form of the cookie that a sign-in begins with.
 *
 * @throws GatewayError permission_denied at another address than `public_url`, where the provider sends people back to, and the cookie is not
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

/** Another site's address is left out, and the console's first page takes its place. */
export const pageOf = (next: string): string => (isOwnPage(next) ? next : '/')
