// Sign-in gate of the pages: the form if nobody is signed in, and a dialog over the page when a session has ended.
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { confirmSignIn, signIn } from '../../../pages.ts'
import { Code } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { requestHeadingFocus } from '../parts/page.tsx'
import { FailedState, Skeleton } from '../parts/states.tsx'
import { ApiError, api, onSessionChanged, onSignedOut, send, signedIn } from './client.ts'
import { isConfirming, onConfirming } from './confirming.ts'
import type { SignInProps } from './page-entry.ts'
import { SignedIn, useSession, type Viewer } from './session.tsx'

const sameViewer = (one: Viewer | null, other: Viewer | null): boolean =>
  one?.side === other?.side && one?.account_id === other?.account_id && one?.key?.id === other?.key?.id

/** Shows `children` to signed-in viewers, and the sign-in form to others, at the same address. */
export function SessionGate({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [expired, setExpired] = useState(false)
  const { data, error, refetch } = useSession()
  const viewer = data?.viewer ?? null

  const is_in = viewer !== null
  // Only while signed in: a wrong password in the form is also answered with 401.
  useEffect(
    () => (is_in ? onSignedOut(() => void hasSession().then((lasts) => setExpired(!lasts))) : undefined),
    [is_in],
  )
  // The 404 of the session's own route must not request it again.
  const is_off = error instanceof ApiError && error.status === 404
  useEffect(
    () => (is_in && !is_off ? onSessionChanged(() => void refetch({ cancelRefetch: false })) : undefined),
    [is_in, is_off, refetch],
  )

  const goOn = useCallback(async () => {
    const { data: now } = await refetch()
    setExpired(false)
    signedIn()
    if (!viewer) requestHeadingFocus()
    if (sameViewer(viewer, now?.viewer ?? null)) await queries.invalidateQueries()
    else queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  }, [viewer, refetch, queries])

  if (is_off)
    return (
      <SignedOutFrame>
        <ConsoleOff is_operator={viewer?.side === 'operator'} />
      </SignedOutFrame>
    )
  if (!data && error)
    return (
      <SignedOutFrame>
        <FailedState failure={error} retry={() => void refetch()} />
      </SignedOutFrame>
    )
  if (!data) return <Frame />
  if (!viewer)
    return (
      <SignedOutFrame>
        <SignInForm onSignedIn={() => void goOn()} />
      </SignedOutFrame>
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

/** Whether the session continues: a request that was sent before the session got a new token is refused, too. */
async function hasSession(): Promise<boolean> {
  try {
    return (await send(api.session.get())).viewer !== null
  } catch {
    // The gateway cannot be reached; the form reports it.
    return false
  }
}

/** Placeholder of the page until the session is known; the same as in `index.html`, which is visible until this code is loaded. */
const Frame = () => (
  <div className={`shell frame${performance.now() > FRAME_AFTER_MS ? ' frame-now' : ''}`} aria-busy="true">
    <div className="side-bar" />
    <div className="top-bar" />
    <div className="main">
      <Skeleton rows={6} />
    </div>
  </div>
)
/** The same as in shell.css. */
const FRAME_AFTER_MS = 200

function SignInForm(props: SignInProps) {
  const SignIn = useLoaded(signIn)
  return SignIn && <SignIn {...props} />
}

/** The dialog, loaded when a request first needs it. */
function Confirming() {
  const is_open = useSyncExternalStore(onConfirming, isConfirming)
  const [was_needed, setWasNeeded] = useState(false)
  if (is_open && !was_needed) setWasNeeded(true)
  return was_needed && <ConfirmDialog />
}

function ConfirmDialog() {
  const ConfirmSignIn = useLoaded(confirmSignIn)
  return ConfirmSignIn && <ConfirmSignIn />
}

/** Shown when the console was turned off, in Settings or in the configuration file. */
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

export const SignedOutFrame = ({ children }: { children: ReactNode }) => (
  <main className="outside">{children}</main>
)
