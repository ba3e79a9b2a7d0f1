;; SPDX-License-Identifier: Apache-2.0
;;
;; A module that no compiler would make. The first byte of the arguments says
;; what it does; nothing of what it leaves or returns may be believed.
(module
  (type $number (func (result i32)))
  (type $other (func (param f64)))
  (memory (export "memory") 1 64)
  (table $table 4 4 funcref)
  (elem (i32.const 1) $one $takes_double)
  (global $kept (mut i32) (i32.const 0))

  (data (i32.const 2048) "{\"n\":0}")
  (data (i32.const 2064) "{\"n\":}")
  (data (i32.const 2080) "{\"n\":\"\ff\"}")
  (data (i32.const 2096) "[1]")
  (data (i32.const 2112) "{\"code\":\"NO_ROOM\",\"message\":\"no\",\"path\":\"a/b\"}")
  (data (i32.const 2176) "{\"code\":\"lower case\",\"message\":\"no\",\"path\":\"\"}")
  (data (i32.const 2240) "{\"n\":\"\\ud800\"}")
  (data (i32.const 2256) "{\"code\":17}")
  (data (i32.const 2272) "{\"code\":\"UNAUTHORIZED\",\"message\":\"no\",\"path\":\"\"}")

  ;; status, address and size of the result, at 16.
  (func $leave (param $status i32) (param $at i32) (param $size i32) (result i32)
    (i32.store (i32.const 16) (local.get $status))
    (i32.store (i32.const 20) (local.get $at))
    (i32.store (i32.const 24) (local.get $size))
    (local.get $status))

  (func $one (type $number) (i32.const 1))
  (func $takes_double (type $other))

  ;; {"n":<digit>} with a digit from 0 to 9
  (func $digit (param $n i32) (result i32)
    (i32.store8 (i32.const 2053) (i32.add (i32.const 48) (local.get $n)))
    (call $leave (i32.const 0) (i32.const 2048) (i32.const 7)))

  (func (export "mica_module_exchange") (result i32) (i32.const 16))


  ;; 13 bytes of arguments: an address outside; 14: none.
  (func (export "mica_module_input") (param $size i32) (result i32)
    (if (i32.eq (local.get $size) (i32.const 13))
      (then (return (i32.const 0xFFFFFFF8))))
    (if (i32.eq (local.get $size) (i32.const 14))
      (then (return (i32.const 0))))
    (i32.const 4096))

  (func (export "mica_module_run") (param $size i32) (result i32)
    (local $act i32)
    (local.set $act (i32.load8_u (i32.const 4096)))

    (if (i32.eq (local.get $act) (i32.const 103)) ;; g: all is well
      (then (return (call $digit (i32.const 7)))))

    (if (i32.eq (local.get $act) (i32.const 112)) ;; p: result outside
      (then (return (call $leave (i32.const 0) (i32.const 0xFFFFFFF0) (i32.const 64)))))
    (if (i32.eq (local.get $act) (i32.const 80)) ;; P: begins inside, ends outside
      (then (return (call $leave (i32.const 0) (i32.const 65530) (i32.const 0xFFFFFFF0)))))
    (if (i32.eq (local.get $act) (i32.const 115)) ;; s: a status that is none
      (then (return (call $leave (i32.const 9999) (i32.const 2048) (i32.const 7)))))
    (if (i32.eq (local.get $act) (i32.const 106)) ;; j: no JSON
      (then (return (call $leave (i32.const 0) (i32.const 2064) (i32.const 6)))))
    (if (i32.eq (local.get $act) (i32.const 117)) ;; u: no UTF-8
      (then (return (call $leave (i32.const 0) (i32.const 2080) (i32.const 9)))))
    (if (i32.eq (local.get $act) (i32.const 83)) ;; S: half a surrogate pair
      (then (return (call $leave (i32.const 0) (i32.const 2240) (i32.const 14)))))
    (if (i32.eq (local.get $act) (i32.const 97)) ;; a: JSON, but no object
      (then (return (call $leave (i32.const 0) (i32.const 2096) (i32.const 3)))))
    (if (i32.eq (local.get $act) (i32.const 50)) ;; 2: the status of the server, and its code
      (then (return (call $leave (i32.const 22) (i32.const 2272) (i32.const 48)))))
    (if (i32.eq (local.get $act) (i32.const 52)) ;; 4: another status' code
      (then (return (call $leave (i32.const 4) (i32.const 2272) (i32.const 48)))))
    (if (i32.eq (local.get $act) (i32.const 49)) ;; 1: a failure of its own, by a name of the server
      (then (return (call $leave (i32.const 1) (i32.const 2272) (i32.const 48)))))
    (if (i32.eq (local.get $act) (i32.const 102)) ;; f: a good failure
      (then (return (call $leave (i32.const 1) (i32.const 2112) (i32.const 46)))))
    (if (i32.eq (local.get $act) (i32.const 99)) ;; c: a code that is none
      (then (return (call $leave (i32.const 1) (i32.const 2176) (i32.const 46)))))
    (if (i32.eq (local.get $act) (i32.const 70)) ;; F: a failure without a text
      (then (return (call $leave (i32.const 1) (i32.const 2256) (i32.const 11)))))
    (if (i32.eq (local.get $act) (i32.const 118)) ;; v: too much
      (then (return (call $leave (i32.const 0) (i32.const 0) (i32.const 101)))))

    (if (i32.eq (local.get $act) (i32.const 107)) ;; k: a global that is kept
      (then
        (global.set $kept (i32.add (global.get $kept) (i32.const 1)))
        (return (call $digit (global.get $kept)))))
    (if (i32.eq (local.get $act) (i32.const 109)) ;; m: the last byte is kept
      (then
        (i32.store8 (i32.const 65535)
          (i32.add (i32.load8_u (i32.const 65535)) (i32.const 1)))
        (return (call $digit (i32.load8_u (i32.const 65535))))))
    (if (i32.eq (local.get $act) (i32.const 77)) ;; M: a byte of 20 more pages
      (then
        (drop (memory.grow (i32.const 20)))
        (i32.store8 (i32.const 1376255)
          (i32.add (i32.load8_u (i32.const 1376255)) (i32.const 1)))
        (return (call $digit (i32.load8_u (i32.const 1376255))))))
    (if (i32.eq (local.get $act) (i32.const 116)) ;; t: an entry of the table
      (then
        (if (ref.is_null (table.get $table (i32.const 3)))
          (then
            (table.set $table (i32.const 3) (table.get $table (i32.const 1)))
            (return (call $digit (call_indirect (type $number) (i32.const 3))))))
        (return (call $digit (i32.const 9)))))

    (if (i32.eq (local.get $act) (i32.const 105)) ;; i: another type's function
      (then (return (call_indirect (type $number) (i32.const 2)))))
    (if (i32.eq (local.get $act) (i32.const 73)) ;; I: no function there
      (then (return (call_indirect (type $number) (i32.const 3)))))
    (if (i32.eq (local.get $act) (i32.const 110)) ;; n: NaN to integer
      (then (return (i32.trunc_f64_s (f64.const nan)))))
    (if (i32.eq (local.get $act) (i32.const 122)) ;; z: x / 0
      (then (return (i32.div_s (i32.const 5) (i32.sub (local.get $act) (i32.const 122))))))
    (if (i32.eq (local.get $act) (i32.const 111)) ;; o: smallest / -1
      (then (return (i32.div_s (i32.const 0x80000000) (i32.sub (local.get $act) (i32.const 112))))))
    (if (i32.eq (local.get $act) (i32.const 98)) ;; b: fill past the end
      (then (memory.fill (i32.const 65000) (i32.const 1) (i32.const 65000))))
    (if (i32.eq (local.get $act) (i32.const 66)) ;; B: fill for ever
      (then
        (drop (memory.grow (i32.const 60)))
        (loop $again
          (memory.fill (i32.const 0) (i32.const 1) (i32.const 3900000))
          (br $again))))
    (if (i32.eq (local.get $act) (i32.const 108)) ;; l: a loop through a br_table
      (then
        (loop $again
          (br_table $again $again (local.get $size)))))
    (if (i32.eq (local.get $act) (i32.const 68)) ;; D: frames without end
      (then (return (call $deeper (i32.const 0)))))
    (unreachable))

  (func $deeper (param $n i32) (result i32)
    (i32.add (call $deeper (i32.add (local.get $n) (i32.const 1))) (local.get $n))))
