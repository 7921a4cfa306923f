// Error boundary of a page that failed to load or to render: the rest of the console still works.
import { RotateCw } from 'lucide-react'
import { Component, type ReactNode, useEffect } from 'react'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { connectionLost, onConnection } from './connection.ts'

interface BoundaryProps {
  /** The path of the page. A change of it clears the error. */
  place: string
  children: ReactNode
}

interface BoundaryState {
  failure: Error | null
  place: string
}

/** After an update of the gateway, the files of the old version's pages are missing. */
const isMissingFile = ({ message }: Error): boolean => /dynamically imported|module script/i.test(message)

export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null, place: this.props.place }

  static getDerivedStateFromError(failure: unknown): Partial<BoundaryState> {
    return { failure: failure instanceof Error ? failure : new Error(String(failure)) }
  }

  static getDerivedStateFromProps(
    { place }: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> | null {
    return place === state.place ? null : { failure: null, place }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (!failure) return this.props.children
    if (isMissingFile(failure)) return <MissingPage />
    const words = `This page failed: ${failure.message}. Reload it, or open another page.`
    return <FailedPage tone="bad" words={words} verb="Reload" />
  }
}

interface FailedPageProps {
  tone: 'bad' | 'warn'
  words: string
  verb: string
}

const FailedPage = ({ tone, words, verb }: FailedPageProps) => (
  <div className="page">
    <Notice tone={tone} alert>
      {words}
    </Notice>
    <div>
      <Button icon={RotateCw} onClick={() => location.reload()}>
        {verb}
      </Button>
    </div>
  </div>
)

const RELOADED = 'reloaded_at_ms'
/** If the file is still missing, another reload within this time would not help. */
const MIN_RELOAD_INTERVAL_MS = 20_000

function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < MIN_RELOAD_INTERVAL_MS) return
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
}

/** Shown for a page whose code could not be loaded. Reloads the page when the gateway answers. */
function MissingPage() {
  useEffect(() => {
    const stop = onConnection((connected) => connected && reloadOnce())
    connectionLost()
    return stop
  }, [])
  const words = 'This page could not be loaded. It loads by itself once the gateway answers.'
  return <FailedPage tone="warn" words={words} verb="Reload now" />
}
