"""Which intents the embedding model never sees while it is trained, so that it can be judged on them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

HELD_OUT_SEED = 0
MASSIVE_HELD_OUT = 12
"""Of MASSIVE's 60 intents."""
CLINC_HELD_OUT = 30
"""Of CLINC150's 150 intents."""

CLINC_DOMAINS: dict[str, tuple[str, ...]] = {
    name: tuple(intents.split())
    for name, intents in {
        "banking": "account_blocked balance bill_balance bill_due freeze_account interest_rate min_payment "
        "order_checks pay_bill pin_change report_fraud routing spending_history transactions transfer",
        "credit cards": "application_status apr card_declined credit_limit credit_limit_change credit_score "
        "damaged_card expiration_date improve_credit_score international_fees new_card redeem_rewards "
        "replacement_card_duration report_lost_card rewards_balance",
        "kitchen and dining": "accept_reservations calories cancel_reservation confirm_reservation cook_time "
        "food_last how_busy ingredient_substitution ingredients_list meal_suggestion nutrition_info recipe "
        "restaurant_reservation restaurant_reviews restaurant_suggestion",
        "home": "calendar calendar_update next_song order order_status play_music reminder reminder_update "
        "shopping_list shopping_list_update smart_home todo_list todo_list_update update_playlist what_song",
        "auto and commute": "current_location directions distance gas gas_type jump_start last_maintenance "
        "mpg oil_change_how oil_change_when schedule_maintenance tire_change tire_pressure traffic uber",
        "travel": "book_flight book_hotel car_rental carry_on exchange_rate flight_status international_visa "
        "lost_luggage plug_type timezone translate travel_alert travel_notification travel_suggestion "
        "vaccines",
        "utility": "alarm calculator date definition find_phone flip_coin make_call measurement_conversion "
        "roll_dice share_location spelling text time timer weather",
        "work": "direct_deposit income insurance insurance_change meeting_schedule next_holiday payday "
        "pto_balance pto_request pto_request_status pto_used rollover_401k schedule_meeting taxes w2",
        "small talk": "are_you_a_bot do_you_have_pets fun_fact goodbye greeting how_old_are_you "
        "meaning_of_life tell_joke thank_you what_are_your_hobbies what_can_i_ask_you what_is_your_name "
        "where_are_you_from who_do_you_work_for who_made_you",
        "meta": "cancel change_accent change_ai_name change_language change_speed change_user_name "
        "change_volume maybe no repeat reset_settings sync_device user_name whisper_mode yes",
    }.items()
}
"""CLINC150's ten domains (Larson et al. 2019, table 1); its data file names intents only."""


def held_out_intents(names: Iterable[str], count: int, seed: int = HELD_OUT_SEED) -> frozenset[str]:
    """A choice of intents that depends on nothing but their names and the seed.

    The names are ranked by the SHA-256 of `seed:name`, and the first `count` of them are held out.
    """
    ranked = sorted(set(names), key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())
    return frozenset(ranked[:count])
