// The place of a page that failed to load or to render: the rest of the console goes on.
import { RotateCw } from 'lucide-react'
import { Component, type ReactNode, useEffect } from 'react'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { connectionLost, onConnection } from './connection.ts'

interface BoundaryProps {
  /** Another page begins anew. */
  place: string
  children: ReactNode
}

interface BoundaryState {
  failure: Error | null
  place: string
}

/** A new version of the gateway has other files: a page of the old one cannot be loaded any more. */
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
    if (isMissingFile(failure)) return <Missing />
    const words = `This page failed: ${failure.message}. Reload it, or open another page.`
    return <Broken tone="bad" words={words} verb="Reload" />
  }
}

interface BrokenProps {
  tone: 'bad' | 'warn'
  words: string
  verb: string
}

const Broken = ({ tone, words, verb }: BrokenProps) => (
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
/** A page that is missing again so soon after a reload is not loaded by another one. */
const RELOAD_EVERY_MS = 20_000

function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_EVERY_MS) return
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
}

/** A page whose code could not be loaded: reloaded once the gateway answers. */
function Missing() {
  useEffect(() => {
    const stop = onConnection((connected) => connected && reloadOnce())
    connectionLost()
    return stop
  }, [])
  const words = 'This page could not be loaded. It loads by itself once the gateway answers.'
  return <Broken tone="warn" words={words} verb="Reload now" />
}
