// Input that commits its text when it loses the focus or the user presses Enter.
import { type KeyboardEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { createNotifier } from '../app/notifier.ts'
import { TextInput, type TextInputProps, UnitInput } from './input.tsx'

const changes = createNotifier()
let uncommitted = 0

/** Whether an input has uncommitted text, so that a page can show its save bar before the input loses the focus. */
export const useIsTyping = (): boolean => useSyncExternalStore(changes.on, () => uncommitted > 0)

function useTyping(is_typing: boolean): void {
  useEffect(() => {
    if (!is_typing) return
    uncommitted += 1
    changes.notify()
    return () => {
      uncommitted -= 1
      changes.notify()
    }
  }, [is_typing])
}

interface CommittedInputProps extends Omit<TextInputProps, 'onChange' | 'onBlur' | 'onKeyDown'> {
  commit: (text: string) => void
  unit?: string
}

export function CommittedInput({ value, commit, unit, ...rest }: CommittedInputProps) {
  const [typed, setTyped] = useState<string | null>(null)
  useTyping(typed !== null && typed.trim() !== value)
  const finish = () => {
    if (typed !== null && typed.trim() !== value) commit(typed.trim())
    setTyped(null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      finish()
    }
    if (event.key === 'Escape' && typed !== null) {
      event.stopPropagation()
      setTyped(null)
    }
  }
  const shared = { ...rest, value: typed ?? value, onChange: setTyped, onBlur: finish, onKeyDown }
  return unit === undefined ? <TextInput {...shared} /> : <UnitInput unit={unit} {...shared} />
}
