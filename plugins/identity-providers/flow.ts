// The state of a sign-in at a provider, which the browser keeps in a cookie. It binds the provider's answer to this browser.
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { cookieForm, type SiteSettings } from '../../src/app/surface/console/site.ts'
import { type CookieForm, cookieOf, setCookie } from '../../src/http/cookies.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'

/** The time that a person has to sign in at the provider. */
export const FLOW_MS = 15 * 60_000

const Short = Type.String({ minLength: 1, maxLength: 200 })

const Flow = Closed({
  provider: Short,
  /** To sign in, to link an identity to the viewer, or to confirm the viewer's identity. */
  purpose: OneOf(['sign_in', 'link', 'confirm']),
  /** The viewer's session; absent for `sign_in`. */
  session_id: Type.Optional(Type.Integer()),
  state: Short,
  nonce: Short,
  verifier: Short,
  /** The accepted terms of service, as `termsFingerprint` encodes them. */
  terms: Type.Optional(Short),
  /** The code of the referral link through which the person came. */
  ref: Type.Optional(Short),
  /** The page to go to afterwards, below /console. */
  next: Type.String({ maxLength: 1_000 }),
  started_at_ms: Type.Integer(),
})
export type Flow = Static<typeof Flow>

/**
 * Returns the form of the cookie. It is `SameSite=Strict`, as all cookies of the console, although the person comes back from another site: the
 * return page posts the answer with a request of its own, which is same-site.
 */
export const flowForm = (request: Request, settings: SiteSettings): CookieForm => {
  const { name, secure } = cookieForm(request, settings)
  return { name: `${name}-identity`, secure }
}

export const flowCookie = (form: CookieForm, flow: Flow): string =>
  setCookie(form, Buffer.from(JSON.stringify(flow)).toString('base64url'), FLOW_MS / 1_000)

/** @returns undefined without a cookie, and for an expired or malformed one */
export function readFlow(request: Request, form: CookieForm, now_ms: number): Flow | undefined {
  const written = cookieOf(request, form.name)
  if (written === undefined) return undefined
  try {
    const flow: unknown = JSON.parse(Buffer.from(written, 'base64url').toString())
    return Value.Check(Flow, flow) && Math.abs(now_ms - flow.started_at_ms) <= FLOW_MS ? flow : undefined
  } catch {
    // The cookie is not one of ours.
    return undefined
  }
}

/** Whether `next` is a path of this console. A link could name another host. */
export const isOwnPage = (next: string): boolean => /^\/(?![/\\])[^\\\s]*$/.test(next) && !next.includes('//')
