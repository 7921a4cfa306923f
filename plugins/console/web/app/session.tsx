// Who is signed in: asked once, told to all pages, and asked for again over the page when the session has ended.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useEffect, useState } from 'react'
import { signIn } from '../pages/index.ts'
import { Dialog } from '../parts/dialog.tsx'
import { FailedState } from '../parts/states.tsx'
import { api, ask, onSignedOut } from './client.ts'
import type { Role } from './page-entry.ts'

/** Whoever is signed in, as pages see them. What they may do, the server decides. */
export interface Viewer {
  role: Role
  /** The account's name; none for the operator. */
  account?: string
}

const SignedIn = createContext<Viewer | null>(null)

/** The viewer of a page. */
export function useViewer(): Viewer {
  const viewer = useContext(SignedIn)
  if (!viewer) throw new Error('useViewer: nobody is signed in here')
  return viewer
}

const KEY = ['session']
const SignIn = lazy(signIn)

async function currentViewer(): Promise<{ viewer: Viewer | null }> {
  const { viewer } = await ask(api.session.get())
  if (!viewer) return { viewer: null }
  return { viewer: { role: viewer.role, ...(viewer.account === null ? {} : { account: viewer.account }) } }
}

const sameViewer = (one: Viewer | null, other: Viewer | null): boolean =>
  one?.role === other?.role && one?.account === other?.account

/** @returns signs out: the server ends the session, and nothing of what was seen stays in memory */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  return useCallback(async () => {
    await ask(api.session.delete())
    queries.clear()
    await queries.invalidateQueries({ queryKey: KEY })
    location.assign('/console')
  }, [queries])
}

export interface SessionGateProps {
  children: ReactNode
}

/** Shows `children` to those who are signed in, and the form to sign in to all others, at the same address. */
export function SessionGate({ children }: SessionGateProps) {
  const queries = useQueryClient()
  const [expired, setExpired] = useState(false)
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: currentViewer, staleTime: Number.POSITIVE_INFINITY })
  const viewer = data?.viewer ?? null

  useEffect(() => onSignedOut(() => setExpired(true)), [])

  const goOn = useCallback(async () => {
    const before = viewer
    const { data: now } = await refetch()
    setExpired(false)
    if (sameViewer(before, now?.viewer ?? null)) await queries.invalidateQueries()
    else queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] })
  }, [viewer, refetch, queries])

  if (!data) return error ? <Outside><FailedState failure={error} retry={() => void refetch()} /></Outside> : null
  if (!viewer)
    return (
      <Outside>
        <Suspense>
          <SignIn onSignedIn={() => void goOn()} />
        </Suspense>
      </Outside>
    )
  return (
    <SignedIn value={viewer} key={`${viewer.role} ${viewer.account ?? ''}`}>
      {children}
      <Dialog open={expired} onClose={() => {}} title="Sign in again" dismissable={false}>
        <Suspense>
          <SignIn
            note="Your session has ended. What you typed is still on the page."
            onSignedIn={() => void goOn()}
          />
        </Suspense>
      </Dialog>
    </SignedIn>
  )
}

/** The frame of what is shown without a session. */
export const Outside = ({ children }: { children: ReactNode }) => <main className="outside">{children}</main>
