// The type of a .sql file that is imported as text.
declare module '*.sql' {
  const text: string
  export default text
}
