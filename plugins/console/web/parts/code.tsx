// Blocks of code with a copy button: code, a secret that is shown once, and an action as a command.
import { SquareTerminal } from 'lucide-react'
import { useContext } from 'react'
import { SignedIn } from '../app/session.tsx'
import { classNames } from './class-names.ts'
import { Copy } from './copy.tsx'

interface CodeProps {
  children: string
  /** What the button copies: "command". */
  what?: string
  wraps?: boolean
  secret?: boolean
}

export function Code({ children, what = 'code', wraps, secret }: CodeProps) {
  return (
    <div className={classNames('code-block', secret && 'secret')}>
      {/* The keyboard must reach scrollable content. */}
      <pre className={classNames(wraps && 'wraps')} tabIndex={wraps ? undefined : 0}>
        {children}
      </pre>
      <Copy text={children} what={what} />
    </div>
  )
}

/** A secret that the server sends once. Use it in a dialog that is not dismissable. */
export const Secret = ({ value, what = 'key' }: { value: string; what?: string }) => (
  <Code what={what} wraps secret>
    {value}
  </Code>
)

/** The same action as a folded command; hidden from staff without the right `operate`, who have no access to the machine. */
export function AsCommand({ command }: { command: string }) {
  const viewer = useContext(SignedIn)
  if (viewer?.side === 'operator' && !viewer.rights.includes('operate')) return null
  return (
    <details className="as-command">
      <summary>
        <SquareTerminal className="icon" aria-hidden />
        As a command
      </summary>
      <Code what="command" wraps>
        {command}
      </Code>
    </details>
  )
}
