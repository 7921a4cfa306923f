// The states of an answer of the server: loading, empty, failed, forbidden, stale.
import type { UseQueryResult } from '@tanstack/react-query'
import { type LucideIcon, RotateCw } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError, ConnectionLost } from '../app/client.ts'
import { Button } from './button.tsx'
import { names } from './class-names.ts'
import { Notice } from './notice.tsx'
import { Page } from './page.tsx'
import { Words } from './words.tsx'

/** Shorter waits than this show nothing at all. */
const SKELETON_AFTER_MS = 200

/** Whether `ms` have passed since the component appeared. */
function useAfter(ms: number): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return passed
}

/** Lines where a list will be, after a moment. Its room is taken from the beginning. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  const is_shown = useAfter(SKELETON_AFTER_MS)
  return (
    <output
      className="skeleton"
      aria-label="Loading"
      aria-busy
      style={{ visibility: is_shown ? 'visible' : 'hidden' }}
    >
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity
        <span key={at} />
      ))}
    </output>
  )
}

interface EmptyStateProps {
  icon?: LucideIcon
  title: string
  /** What this is for. */
  children?: ReactNode
  /** The one button, or the command, that fills it. */
  action?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="empty">
      {Icon && <Icon className="icon" aria-hidden />}
      <h2>{title}</h2>
      {children && <div className="soft">{children}</div>}
      {action}
    </div>
  )
}

interface FailedStateProps {
  failure: Error
  retry?: () => void
}

/** A failure in the server's words, and a way to try again where that can help. */
export function FailedState({ failure, retry }: FailedStateProps) {
  const request_id = failure instanceof ApiError ? failure.request_id : null
  const is_refused = failure instanceof ApiError && failure.status < 500
  return (
    <div className="stack">
      <Notice tone={is_refused ? 'warn' : 'bad'} alert>
        <p>
          <Words>{failure.message}</Words>
        </p>
        {request_id !== null && !is_refused && (
          <p className="small soft">
            In the log: <code>{request_id}</code>
          </p>
        )}
      </Notice>
      {retry && !is_refused && (
        <div>
          <Button icon={RotateCw} onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

/** The parts of a query that its states follow from. */
export type Query<Data> = Pick<
  UseQueryResult<Data, Error>,
  'data' | 'error' | 'failureReason' | 'isPlaceholderData' | 'refetch'
>

interface LoadedProps<Data> {
  query: Query<Data>
  /** Rows of the skeleton. */
  rows?: number
  /** Instead of the skeleton of a list. */
  loading?: ReactNode
  children: (data: Data) => ReactNode
}

/**
 * The drawn form of an answer. After another choice (a tab, a filter, an order) that of the answer before stays as it was until the next
 * is there: drawn again, its rows would be read as those of the new choice. Once the next one is refused, it stays no longer.
 *
 * @returns undefined before the first answer, and without one
 */
function useDrawn<Data>(
  { data, isPlaceholderData }: Query<Data>,
  draw: (data: Data) => ReactNode,
): ReactNode | undefined {
  const drawn = useRef<ReactNode>(undefined)
  if (data === undefined) drawn.current = undefined
  else if (!isPlaceholderData) drawn.current = draw(data) ?? null
  return drawn.current
}

/**
 * An answer in each of its states. An older answer stays in view, greyed, while the next one is awaited or
 * the connection is lost.
 */
export function Loaded<Data>({ query, rows, loading, children }: LoadedProps<Data>) {
  const { error, failureReason, isPlaceholderData, refetch } = query
  const drawn = useDrawn(query, children)
  if (drawn === undefined) {
    if (error) return <FailedState failure={error} retry={() => void refetch()} />
    return loading ?? <Skeleton rows={rows} />
  }
  const is_refused = error !== null && !(error instanceof ConnectionLost)
  const is_stale = isPlaceholderData || error !== null || failureReason !== null
  return (
    <>
      {is_refused && <FailedState failure={error} retry={() => void refetch()} />}
      <div className={names('stack', is_stale && 'stale')} aria-busy={isPlaceholderData || undefined}>
        {drawn}
      </div>
    </>
  )
}

/** A page in the place of one whose title is not known yet. */
export const AwaitedPage = ({ title, query }: { title: string; query: Query<unknown> }) => (
  <Page title={title}>
    <Loaded query={query} rows={6}>
      {() => null}
    </Loaded>
  </Page>
)
