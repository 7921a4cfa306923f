// The frame of a page: its title, what can be done here, its sections.
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { titleTab } from '../app/brand.ts'
import { names } from './class-names.ts'

let owed = false

/** A navigation began, or a heading that has the focus goes. */
export function oweFocus(): void {
  owed = true
}

/** Whether the heading takes the focus now. Only one does. */
function claimFocus(): boolean {
  const is_owed = owed
  owed = false
  return is_owed
}

interface PageFrameProps {
  /** Also the title of the browser's tab. */
  title: string
  /** One sentence of the user's world. */
  lead?: ReactNode
  /** The page's actions, the main one last. */
  actions?: ReactNode
  /** For forms alone, or for what is read from top to bottom; otherwise as wide as tables are. */
  width?: 'form' | 'text'
  children: ReactNode
}

/** After a navigation its heading has the focus, so that a screen reader says where it is. */
export function Page({ title, lead, actions, width, children }: PageFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    titleTab(title)
  }, [title])
  useEffect(() => {
    if (claimFocus()) heading.current?.focus()
  }, [])
  useLayoutEffect(() => {
    const own = heading.current
    // The page goes on in another frame, once its data is there: that one's heading takes the focus over.
    return () => {
      if (own !== null && document.activeElement === own) oweFocus()
    }
  }, [])
  return (
    <div className={names('page', width && `page-${width}`)}>
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
