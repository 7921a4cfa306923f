// The viewers of the console: the staff, the people of an account, or one key of an account; and what each of them may see.
import type { ActionContext, Actor } from '../domain/actions.ts'
import { permissionDenied } from '../domain/errors.ts'
import type { MembershipRow, StaffRow, SuspensionReason } from '../store/schema.ts'

/** The keys whose calls a viewer sees: a member those that are theirs, a limited key itself; `account`: all there are. */
export type KeySight = 'account' | readonly number[]

/** The signed-in person. The server decides what they see, never the page; what they may change is in `rights.ts`. */
export type Viewer =
  /** The staff: they see everything. */
  | ({ side: 'operator'; role: StaffRow['role']; session_id: number } & Proved)
  /** The people of an account. */
  | ({
      side: 'account'
      role: MembershipRow['role']
      session_id: number
      account_id: number
      account: string
      sees: KeySight
      /** Why the account is suspended, where it is: `rights.ts` says what its people may do then. */
      suspended_for?: SuspensionReason | undefined
    } & Proved)
  /**
   * Signed in with a key: the right to call what this key may call, and to manage no key. A limited one sees its own calls,
   * unless its account allows more; others see what their person sees, or the account.
   */
  | {
      side: 'key'
      role: 'key'
      session_id: number
      account_id: number
      account: string
      key_id: number
      sees: KeySight
    }

/** A person, and when they last showed who they are; undefined or null: unknown, which is long ago. */
interface Proved {
  person_id: number
  confirmed_at_ms?: number | null
}

export type PersonViewer = Exclude<Viewer, { side: 'key' }>

/** The account that a viewer sees; undefined for the staff, who see all. */
export const accountOf = (viewer: Viewer): number | undefined =>
  viewer.side === 'operator' ? undefined : viewer.account_id

/** The actor of a viewer's actions. @param address of their session */
export const actorOf = (viewer: Viewer, address: string | undefined): Actor => ({
  kind: viewer.side,
  session_id: viewer.session_id,
  person_id: personOf(viewer),
  address,
})

/** The context of a viewer's own action in one request. @param from of their request */
export const actingAs = (
  viewer: Viewer,
  { address, request_id }: { address: string | undefined; request_id: string },
  now_ms: number,
): ActionContext => ({ actor: actorOf(viewer, address), now_ms, request_id })

/** The person who is signed in; undefined where it is by a key. */
export const personOf = (viewer: Viewer): number | undefined =>
  viewer.side === 'key' ? undefined : viewer.person_id

/** @throws GatewayError permission_denied in a session by key */
export function requirePerson(viewer: Viewer): asserts viewer is PersonViewer {
  if (viewer.side === 'key')
    throw permissionDenied(
      'You signed in with an API key. To change how you sign in, sign in with your password.',
    )
}

/** The owner of a viewer's sign-in, for the log of actions on it. */
export const ownerOf = (viewer: Viewer): { account_id: number | undefined; key_id: number | undefined } => ({
  account_id: accountOf(viewer),
  key_id: viewer.side === 'key' ? viewer.key_id : undefined,
})

/** The keys whose calls are all that a viewer sees, which may be none; undefined for those who see all of an account. */
export const onlyKeysOf = (viewer: Viewer): readonly number[] | undefined =>
  viewer.side === 'operator' || viewer.sees === 'account' ? undefined : viewer.sees

/** A viewer who has got one more key in their request. */
export const withKey = (viewer: Viewer, key_id: number): Viewer =>
  viewer.side === 'operator' || viewer.sees === 'account'
    ? viewer
    : { ...viewer, sees: [...viewer.sees, key_id] }

/** @throws GatewayError permission_denied if the viewer sees the calls of some keys only */
export function requireWholeAccount(viewer: Viewer): void {
  if (onlyKeysOf(viewer) === undefined) return
  throw permissionDenied(
    viewer.side === 'key'
      ? 'You are signed in with a limited API key, so you see its calls only. Sign in with the account’s password to see more.'
      : `Your role in this account is ${viewer.role}, so you see your own API keys and their calls only. Ask an owner of the account.`,
  )
}

/** Whether a viewer who sees the calls of some keys only may see what this key did; true for all others. */
export const isOfKeys = (viewer: Viewer, key_id: number): boolean =>
  onlyKeysOf(viewer)?.includes(key_id) ?? true
