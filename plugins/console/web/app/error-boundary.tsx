// What is shown of a page that failed to load or to draw: the rest of the console goes on.
import { RotateCw } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'

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
    const words = isMissingFile(failure)
      ? 'This page could not be loaded: the gateway was updated or cannot be reached. Reload to go on.'
      : `This page failed: ${failure.message}. Reload to go on; the rest of the console works.`
    return (
      <div className="page">
        <Notice tone="bad" alert>
          {words}
        </Notice>
        <div>
          <Button icon={RotateCw} onClick={() => location.reload()}>
            Reload
          </Button>
        </div>
      </div>
    )
  }
}
