// Who is signed in, as pages see them.
import { useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext } from 'react'
import { type AnswerOf, api, send } from './client.ts'
import { forgetTab } from './kept.ts'

type Session = AnswerOf<typeof api.session.get>

/** Whoever is signed in, and what they may do. It is for showing less: the server decides. */
export type Viewer = NonNullable<Session['viewer']>

/** Set by the session's gate. */
export const SignedIn = createContext<Viewer | null>(null)

/** The viewer of a page. */
export function useViewer(): Viewer {
  const viewer = useContext(SignedIn)
  if (!viewer) throw new Error('useViewer: nobody is signed in here')
  return viewer
}

/** Which pages a viewer sees. */
export const roleOf = ({ role, rights }: Viewer) => (role === 'key' && !rights.see_account ? 'own_key' : role)

/** How callers reach the gateway, for what is copied from here. The operator may have come another way, such as a tunnel. */
export function useBaseUrl(): string {
  const { public_url } = useViewer()
  return public_url?.replace(/\/+$/, '') ?? location.origin
}

/** @returns signs out: the server ends the session, and nothing of what was seen stays in memory */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  return useCallback(async () => {
    await send(api.session.delete())
    queries.clear()
    forgetTab()
    location.assign('/console')
  }, [queries])
}
