// Frame of a page: title, actions and sections.
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { setTabTitle } from '../app/brand.ts'
import { classNames } from './class-names.ts'

let focus_requested = false

/** Makes the next page focus its heading. Called at a navigation, and when a focused heading is replaced. */
export function requestHeadingFocus(): void {
  focus_requested = true
}

/** Returns whether the focus was requested, and resets the request: only one heading takes it. */
function takeFocusRequest(): boolean {
  const was_requested = focus_requested
  focus_requested = false
  return was_requested
}

interface PageFrameProps {
  /** The heading, and the title of the browser's tab. */
  title: string
  lead?: ReactNode
  /** The page's buttons, the main one last. */
  actions?: ReactNode
  /** Narrower, for forms or text; by default as wide as tables. */
  width?: 'form' | 'text'
  children: ReactNode
}

/** A page. After a navigation its heading gets the focus, so that a screen reader announces it. */
export function Page({ title, lead, actions, width, children }: PageFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    setTabTitle(title)
  }, [title])
  useEffect(() => {
    if (takeFocusRequest()) heading.current?.focus()
  }, [])
  useLayoutEffect(() => {
    const own = heading.current
    // When its data arrive, the page may be rendered in another frame, whose heading must take the focus.
    return () => {
      if (own !== null && document.activeElement === own) requestHeadingFocus()
    }
  }, [])
  return (
    <div className={classNames('page', width && `page-${width}`)}>
      <header className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface SectionProps {
  title: string
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className="section" aria-label={title}>
      <div className="section-head">
        <h2>{title}</h2>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </section>
  )
}
