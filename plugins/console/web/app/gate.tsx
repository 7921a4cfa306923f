// The gate before the pages: signs in if nobody is, and again over the page when a session has ended.
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { confirmSignIn, signIn } from '../../../pages.ts'
import { Code } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { oweFocus } from '../parts/page.tsx'
import { FailedState, Skeleton } from '../parts/states.tsx'
import { ApiError, api, onSessionChanged, onSignedOut, send, signedIn } from './client.ts'
import { isConfirming, onConfirming } from './confirming.ts'
import type { SignInProps } from './page-entry.ts'
import { SignedIn, useSession, type Viewer } from './session.tsx'

const sameViewer = (one: Viewer | null, other: Viewer | null): boolean =>
  one?.side === other?.side && one?.account_id === other?.account_id && one?.key?.id === other?.key?.id

/** Shows `children` to those who are signed in, and the form to sign in to all others, at the same address. */
export function SessionGate({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [expired, setExpired] = useState(false)
  const { data, error, refetch } = useSession()
  const viewer = data?.viewer ?? null

  const is_in = viewer !== null
  // Where nobody was signed in, a wrong password is no end of a session.
  useEffect(
    () => (is_in ? onSignedOut(() => void hasSession().then((goes_on) => setExpired(!goes_on))) : undefined),
    [is_in],
  )
  // Its own answer is no reason to ask again.
  const is_off = error instanceof ApiError && error.status === 404
  useEffect(
    () => (is_in && !is_off ? onSessionChanged(() => void refetch({ cancelRefetch: false })) : undefined),
    [is_in, is_off, refetch],
  )

  const goOn = useCallback(async () => {
    const { data: now } = await refetch()
    setExpired(false)
    signedIn()
    if (!viewer) oweFocus()
    if (sameViewer(viewer, now?.viewer ?? null)) await queries.invalidateQueries()
    else queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  }, [viewer, refetch, queries])

  if (is_off)
    return (
      <Outside>
        <ConsoleOff is_operator={viewer?.side === 'operator'} />
      </Outside>
    )
  if (!data && error)
    return (
      <Outside>
        <FailedState failure={error} retry={() => void refetch()} />
      </Outside>
    )
  if (!data) return <Frame />
  if (!viewer)
    return (
      <Outside>
        <SignInForm onSignedIn={() => void goOn()} />
      </Outside>
    )
  return (
    <SignedIn value={viewer} key={`${viewer.side} ${viewer.account_id} ${viewer.key?.id}`}>
      {children}
      <Dialog open={expired} onClose={() => {}} title="Sign in again" dismissable={false}>
        <SignInForm note="Your session has ended. What you typed is kept." onSignedIn={() => void goOn()} />
      </Dialog>
      <Confirming />
    </SignedIn>
  )
}

/** A request that was under way while the session got a new token is refused, and the session goes on. */
async function hasSession(): Promise<boolean> {
  try {
    return (await send(api.session.get())).viewer !== null
  } catch {
    // The gateway cannot be reached: the form says so.
    return false
  }
}

/** The place of the page until the session is known, as `index.html` has it until this code is there. */
const Frame = () => (
  <div className={`shell frame${performance.now() > FRAME_AFTER_MS ? ' frame-now' : ''}`} aria-busy="true">
    <div className="side-bar" />
    <div className="top-bar" />
    <div className="main">
      <Skeleton rows={6} />
    </div>
  </div>
)
/** As in shell.css. */
const FRAME_AFTER_MS = 200

function SignInForm(props: SignInProps) {
  const SignIn = useLoaded(signIn)
  return SignIn && <SignIn {...props} />
}

/** Loaded when something first waits for it. */
function Confirming() {
  const is_asked = useSyncExternalStore(onConfirming, isConfirming)
  const [is_needed, setNeeded] = useState(false)
  if (is_asked && !is_needed) setNeeded(true)
  return is_needed && <ConfirmDialog />
}

function ConfirmDialog() {
  const ConfirmSignIn = useLoaded(confirmSignIn)
  return ConfirmSignIn && <ConfirmSignIn />
}

/** Nothing of the console answers any more: it was turned off in Settings, or in the file. */
const ConsoleOff = ({ is_operator }: { is_operator: boolean }) => (
  <div className="stack">
    <h1>The console is off</h1>
    {is_operator ? (
      <>
        <p>
          The gateway goes on, and calls are answered. To turn the console on again, set{' '}
          <code>enabled = true</code> below <code>[console]</code> in the configuration file on the server, or
          run:
        </p>
        <Code what="command">tollgate config set console.enabled=true</Code>
        <p className="soft">Then reload this page.</p>
      </>
    ) : (
      <p>Your API keys work as before. Reload this page later.</p>
    )}
  </div>
)

/** The frame of pages without a session. */
export const Outside = ({ children }: { children: ReactNode }) => <main className="outside">{children}</main>
