// A sign-in under way, as the browser keeps it in a cookie that only pages of the console send: it binds the provider's answer to this browser.
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { cookieForm, type SiteSettings } from '../../src/app/surface/console/site.ts'
import { type CookieForm, cookieOf, setCookie } from '../../src/http/cookies.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'

/** The time that somebody has at the provider. */
export const FLOW_MS = 15 * 60_000

const Short = Type.String({ minLength: 1, maxLength: 200 })

const Flow = Closed({
  provider: Short,
  /** To sign in, to link an identity to whoever is signed in, or to confirm that it is them. */
  purpose: OneOf(['sign_in', 'link', 'confirm']),
  /** Of whoever is signed in, where it is for them. */
  session_id: Type.Optional(Type.Integer()),
  state: Short,
  nonce: Short,
  verifier: Short,
  /** The terms of service that were accepted, as `markOf` has them. */
  terms: Type.Optional(Short),
  /** The code of the link by which somebody was referred. */
  ref: Type.Optional(Short),
  /** The page to go to afterwards, below /console. */
  next: Type.String({ maxLength: 1_000 }),
  started_at_ms: Type.Integer(),
})
export type Flow = Static<typeof Flow>

/**
 * The form of the cookie. `SameSite=Strict`, as of all cookies of the console, although the person comes back from another site: the page that they
 * come back to sends the answer on by a request of its own, which is of this site.
 */
export const flowForm = (request: Request, settings: SiteSettings): CookieForm => {
  const { name, secure } = cookieForm(request, settings)
  return { name: `${name}-identity`, secure }
}

export const flowCookie = (form: CookieForm, flow: Flow): string =>
  setCookie(form, Buffer.from(JSON.stringify(flow)).toString('base64url'), FLOW_MS / 1_000)

/** @returns undefined without one, for one that is over, and for what is none */
export function flowOf(request: Request, form: CookieForm, now_ms: number): Flow | undefined {
  const written = cookieOf(request, form.name)
  if (written === undefined) return undefined
  try {
    const flow: unknown = JSON.parse(Buffer.from(written, 'base64url').toString())
    return Value.Check(Flow, flow) && Math.abs(now_ms - flow.started_at_ms) <= FLOW_MS ? flow : undefined
  } catch {
    // Whatever it is, none of ours.
    return undefined
  }
}

/** A page of this console, whatever a link wanted: no other host, no other path. */
export const isOwnPage = (next: string): boolean => /^\/(?![/\\])[^\\\s]*$/.test(next) && !next.includes('//')
