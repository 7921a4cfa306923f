// Whether the focus is owed to the heading of the next page: after a navigation, not at the first load.
let owed = false

/** A navigation began, or a heading that has the focus goes. */
export function oweFocus(): void {
  owed = true
}

/** Whether the heading takes the focus now. Only one does. */
export function claimFocus(): boolean {
  const is_owed = owed
  owed = false
  return is_owed
}
