// An input whose change counts once it is left, or Enter is pressed: until then it is only typed.
import { type KeyboardEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { createNotifier } from '../app/notifier.ts'
import { TextInput, type TextInputProps, UnitInput } from './input.tsx'

const changes = createNotifier()
let typing = 0

/** Whether a text was typed that does not count yet: what saves it is there before its field is left. */
export const useIsTyping = (): boolean => useSyncExternalStore(changes.on, () => typing > 0)

function useTyping(is_typing: boolean): void {
  useEffect(() => {
    if (!is_typing) return
    typing += 1
    changes.notify()
    return () => {
      typing -= 1
      changes.notify()
    }
  }, [is_typing])
}

interface CommittedInputProps extends Omit<TextInputProps, 'onChange' | 'onBlur' | 'onKeyDown'> {
  /** Gets a text that differs from the value. */
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
