// States of a query: loading, empty, failed, refused, stale.
import type { UseQueryResult } from '@tanstack/react-query'
import { type LucideIcon, RotateCw } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError, ConnectionLost } from '../app/client.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Notice } from './notice.tsx'
import { Page } from './page.tsx'
import { Words } from './words.tsx'

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

/** Placeholder lines of a list, visible after 200 ms. Their space is reserved from the start. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  const is_visible = useAfter(SKELETON_AFTER_MS)
  return (
    <output
      className="skeleton"
      aria-label="Loading"
      aria-busy
      style={{ visibility: is_visible ? 'visible' : 'hidden' }}
    >
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no other identity
        <span key={at} />
      ))}
    </output>
  )
}

interface EmptyStateProps {
  icon?: LucideIcon
  title: string
  children?: ReactNode
  /** The button or command that adds a first row. */
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

/** A failure with the server's message, and a button to try again unless the request was refused. */
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

export type Query<Data> = Pick<
  UseQueryResult<Data, Error>,
  'data' | 'error' | 'failureReason' | 'isPlaceholderData' | 'refetch'
>

interface LoadedProps<Data> {
  query: Query<Data>
  rows?: number
  loading?: ReactNode
  children: (data: Data) => ReactNode
}

/**
 * Returns the rendered answer. After the user chooses another tab, filter or order, the previous rendering is kept until the next answer
 * arrives: rendered again, its rows would look like those of the new choice. It is dropped if the next query is refused.
 *
 * @returns undefined if there is no answer
 */
function useRendered<Data>(
  { data, isPlaceholderData }: Query<Data>,
  render: (data: Data) => ReactNode,
): ReactNode | undefined {
  const rendered = useRef<ReactNode>(undefined)
  if (data === undefined) rendered.current = undefined
  else if (!isPlaceholderData) rendered.current = render(data) ?? null
  return rendered.current
}

/**
 * A query in each of its states. The previous answer stays visible, greyed, while the next one is loading or the connection is lost.
 */
export function Loaded<Data>({ query, rows, loading, children }: LoadedProps<Data>) {
  const { error, failureReason, isPlaceholderData, refetch } = query
  const rendered = useRendered(query, children)
  if (rendered === undefined) {
    if (error) return <FailedState failure={error} retry={() => void refetch()} />
    return loading ?? <Skeleton rows={rows} />
  }
  const is_refused = error !== null && !(error instanceof ConnectionLost)
  const is_stale = isPlaceholderData || error !== null || failureReason !== null
  return (
    <>
      {is_refused && <FailedState failure={error} retry={() => void refetch()} />}
      <div className={classNames('stack', is_stale && 'stale')} aria-busy={isPlaceholderData || undefined}>
        {rendered}
      </div>
    </>
  )
}

/** Placeholder of a page while the data for its title are loading. */
export const AwaitedPage = ({ title, query }: { title: string; query: Query<unknown> }) => (
  <Page title={title}>
    <Loaded query={query} rows={6}>
      {() => null}
    </Loaded>
  </Page>
)
